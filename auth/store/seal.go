package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"

	"ahptui/internal/secret"
)

// keyBytes is the length of a key: that of AES-256.
const keyBytes = 32

// sealer encrypts and authenticates, by AES-256-GCM with a random nonce. A key is good for 2^32 files.
type sealer struct {
	id   string // names the key without telling anything of it
	aead cipher.AEAD
}

// newKey makes a key, in the spelling that the keyring holds.
func newKey() secret.Value {
	var key [keyBytes]byte
	_, _ = rand.Read(key[:]) // never fails
	return secret.New(base64.StdEncoding.EncodeToString(key[:]))
}

func newSealer(key secret.Value) (*sealer, error) {
	raw, err := base64.StdEncoding.DecodeString(key.Reveal())
	if err != nil || len(raw) != keyBytes {
		return nil, errors.New("what the keyring holds is no key of ahptui")
	}
	defer clear(raw)
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("the key of the token file: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("the key of the token file: %w", err)
	}
	hash := sha256.Sum256(append([]byte("ahptui key id "), raw...))
	return &sealer{id: hex.EncodeToString(hash[:8]), aead: aead}, nil
}

// seal encrypts plain, to be opened only by who knows what it is bound to.
func (s *sealer) seal(plain []byte, bound string) []byte {
	return s.aead.Seal(nil, nil, plain, []byte(bound)) //nolint:gosec // it puts a random nonce in front by itself
}

func (s *sealer) open(sealed []byte, bound string) ([]byte, error) {
	return s.aead.Open(nil, nil, sealed, []byte(bound))
}
