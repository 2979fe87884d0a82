package store

import "errors"

// Why nothing came of it.
var (
	// ErrNoToken says that no token is stored for that.
	ErrNoToken = errors.New("no token is stored for it")
	// ErrNoRefresh says that the token came without one to refresh it with.
	ErrNoRefresh = errors.New("the token cannot be refreshed")
	// ErrInterrupted says that an earlier attempt to refresh the token ended without an answer, so that its refresh token
	// may be used up. Servers take a second use for a theft and end all access. The access token still works: keep it to
	// its end, then try.
	ErrInterrupted = errors.New("an earlier attempt to refresh the token was interrupted; it is used to its end first")
	// ErrSignedOut says that a person signed out while the token was refreshed. The token that is returned with it is
	// stored nowhere and must be revoked.
	ErrSignedOut = errors.New("it was signed out in the meantime")
	// ErrNotKept says that the token that is returned with it is good, but could not be written. It ends with the program.
	ErrNotKept = errors.New("the new token could not be stored, and is lost when the program ends")
	// ErrBusy says that another process holds what is needed, and has not let go of it in the time that it may take.
	ErrBusy = errors.New("another ahptui is at it and does not finish; if it is stopped, continue or end it")
	// ErrFull says that the store holds as much as it may.
	ErrFull = errors.New("the store is full: sign out of what is no longer needed")
	// ErrNewer says that a newer version of the program wrote the file. It is left alone.
	ErrNewer = errors.New("a newer version of ahptui wrote it; use that version, or move the file away")
	// ErrLink says that a path is a symbolic link, which could lead anywhere.
	ErrLink = errors.New("it is a symbolic link, which is not followed")
	// ErrNotOurs says that a file or directory belongs to another user.
	ErrNotOurs = errors.New("it belongs to another user")
	// ErrNoKeyring says that there is no keyring to be had.
	ErrNoKeyring = errors.New("the system's keyring cannot be used")
	// ErrNoPlainFile says that tokens are not kept unencrypted on this system.
	ErrNoPlainFile = errors.New("on this system tokens are not kept in a file without the keyring, as nothing tells whether others can read it")
)

// What a request to refresh may say by way of its error. See [Store.Refresh].
var (
	// ErrInvalidGrant says that the server knows of no such grant any more (RFC 6749, section 5.2: invalid_grant).
	ErrInvalidGrant = errors.New("the authorization server has ended the grant")
	// ErrUnused says that the refresh token has surely not been used up: the server was not reached, or refused.
	ErrUnused = errors.New("the token was not refreshed")
)

// errDamaged says that a file does not hold what was written to it.
var errDamaged = errors.New("it is damaged")
