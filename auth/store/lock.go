package store

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// How often it is tried to get a lock that somebody else holds: for a moment, or for as long as a server takes to answer.
const (
	shortPoll = 3 * time.Millisecond
	longPoll  = 20 * time.Millisecond
)

// lock takes the lock that a file stands for, among all goroutines of all processes. The system gives it back when the
// process that holds it dies. The file itself stays: a lock on a removed file would lock nobody out.
//
// It waits for so long at most, and no longer than ctx lasts.
func lock(ctx context.Context, path string, wait, poll time.Duration) (release func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, ErrBusy)
	defer cancel()
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
	if _, err := l.TryLockContext(ctx, poll); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil // closing the file unlocks it, too
}
