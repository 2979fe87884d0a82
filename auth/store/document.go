package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// document is a value that is read and changed by several at once.
type document[T any] interface {
	// load returns a copy of it.
	load(ctx context.Context) (T, error)
	// update has it changed while nobody else changes it. What change reports false for, or an error, is not kept.
	update(ctx context.Context, change func(*T) (bool, error)) error
}

// memoryDocument lies in this process alone.
type memoryDocument[T any] struct {
	clone func(T) T
	mu    sync.Mutex
	value T
}

func (d *memoryDocument[T]) load(context.Context) (T, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clone(d.value), nil
}

func (d *memoryDocument[T]) update(_ context.Context, change func(*T) (bool, error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	value := d.clone(d.value)
	changed, err := change(&value)
	if changed && err == nil {
		d.value = value
	}
	return err
}

// fileDocument lies in a file that processes share.
type fileDocument[T any] struct {
	path     string
	format   format
	keys     *keyhole // nil: it is not sealed
	wait     time.Duration
	step     func(string)
	setAside func(path string) // is told where a damaged file went
	empty    func(T) bool      // whether no file does for a value as well; nil: it never does
}

func (d *fileDocument[T]) load(ctx context.Context) (T, error) {
	value, err := d.read(ctx)
	if err != nil {
		return value, fmt.Errorf("file %s: %w", d.path, err)
	}
	return value, nil
}

func (d *fileDocument[T]) read(ctx context.Context) (value T, err error) {
	data, err := readPrivate(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return value, nil
	case err != nil:
		return value, err
	}
	e, err := d.format.open(data)
	if err != nil {
		return value, err
	}
	var seal *sealer
	if d.keys != nil {
		if seal, err = d.keys.sealerFor(ctx, e.Key); err != nil {
			return value, err
		}
	}
	err = d.format.decode(d.name(), e, seal, &value)
	return value, err
}

func (d *fileDocument[T]) name() string { return filepath.Base(d.path) }

func (d *fileDocument[T]) update(ctx context.Context, change func(*T) (bool, error)) error {
	release, err := lock(ctx, d.path+".lock", d.wait, shortPoll)
	if err != nil {
		return err
	}
	defer release()
	value, err := d.read(ctx)
	if errors.Is(err, errDamaged) {
		var none T
		value, err = none, d.putAside()
	}
	if err != nil {
		return fmt.Errorf("file %s: %w", d.path, err)
	}
	changed, err := change(&value)
	if err != nil || !changed {
		return err
	}
	if err := d.write(ctx, value); err != nil {
		return fmt.Errorf("file %s: %w", d.path, err)
	}
	return nil
}

func (d *fileDocument[T]) write(ctx context.Context, value T) error {
	if d.empty != nil && d.empty(value) {
		return removeFile(d.path)
	}
	var seal *sealer
	if d.keys != nil {
		var err error
		if seal, err = d.keys.sealer(ctx); err != nil {
			return err
		}
	}
	data, err := d.format.encode(d.name(), value, seal)
	if err != nil {
		return err
	}
	return replaceFile(d.path, data, d.step)
}

// asideMark stands in the names of damaged files, before the time at which they were found.
const asideMark = ".damaged-"

// putAside moves a damaged file out of the way: what is in it may matter to somebody.
func (d *fileDocument[T]) putAside() error {
	aside := d.path + asideMark + time.Now().UTC().Format("20060102-150405.000")
	if err := os.Rename(d.path, aside); err != nil {
		return err
	}
	d.setAside(aside)
	return nil
}

// exists reports whether there is a file.
func (d *fileDocument[T]) exists() bool {
	_, err := os.Lstat(d.path)
	return err == nil
}
