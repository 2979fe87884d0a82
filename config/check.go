package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// check refuses what could never work, and makes the paths absolute.
func (f *File) check() error {
	if err := f.checkScreen(); err != nil {
		return err
	}
	if err := f.checkAuth(); err != nil {
		return err
	}
	for i := range f.Auth.Issuers {
		if err := f.checkIssuer(i); err != nil {
			return err
		}
	}
	for i := range f.Auth.Tokens {
		if err := f.checkToken(i); err != nil {
			return err
		}
	}
	for i := range f.Hosts {
		if err := f.checkHost(i); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) checkAuth() error {
	methods := []string{"browser", "device", "paste", "token"}
	hosts := []string{"127.0.0.1", "localhost"}
	a := f.Auth
	switch {
	case a.Method != "" && !slices.Contains(methods, a.Method):
		return f.Wrong("auth.method", fmt.Errorf("there is no way to sign in called %q", a.Method), "write one of "+strings.Join(methods, ", "))
	case a.RedirectHost != "" && !slices.Contains(hosts, a.RedirectHost):
		return f.Wrong("auth.redirect_host", fmt.Errorf("a browser cannot come back to %q", a.RedirectHost), "write one of "+strings.Join(hosts, ", "))
	case a.RedirectPort < 0 || a.RedirectPort > 65535:
		return f.Wrong("auth.redirect_port", fmt.Errorf("%d is no port", a.RedirectPort), "write a number up to 65535; 0 means any that is free")
	}
	return nil
}

func (f *File) checkIssuer(i int) error {
	s, key := &f.Auth.Issuers[i], fmt.Sprintf("auth.issuer[%d]", i)
	switch {
	case s.Issuer == "":
		return f.Wrong(key+".issuer", errMissing, "write the address of the authorization server, as the host names it")
	case slices.ContainsFunc(f.Auth.Issuers[:i], func(other Issuer) bool { return other.Issuer == s.Issuer }):
		return f.Wrong(key+".issuer", fmt.Errorf("there are two entries for %q", s.Issuer), "make one entry of them")
	case s.ClientSecretFile != "" && s.ClientID == "":
		return f.Wrong(key+".client_id", errMissing, "write the id of the client that the secret belongs to")
	case *s == Issuer{Issuer: s.Issuer}:
		return f.Wrong(key, errors.New("it says nothing about the authorization server"), "add client_id, metadata_issuer or assume_pkce_s256, or remove the entry")
	}
	var err error
	if s.ClientSecretFile, err = f.resolve(s.ClientSecretFile); err != nil {
		return f.Wrong(key+".client_secret_file", err, "write an absolute path")
	}
	return nil
}

func (f *File) checkToken(i int) error {
	t, key := &f.Auth.Tokens[i], fmt.Sprintf("auth.token[%d]", i)
	switch u, err := url.Parse(t.Resource); {
	case t.Resource == "":
		return f.Wrong(key+".resource", errMissing, "write the resource that the token is for, as the host names it")
	case err != nil, u.Host == "", u.Scheme != "https" && u.Scheme != "http":
		return f.Wrong(key+".resource", errors.New("it is not an absolute URL"), "write the resource as the host names it, from https:// on")
	case slices.ContainsFunc(f.Auth.Tokens[:i], func(other Token) bool { return other.Resource == t.Resource }):
		return f.Wrong(key+".resource", fmt.Errorf("there are two entries for %q", t.Resource), "make one entry of them")
	case (t.File == "") == (t.Command == nil):
		return f.Wrong(key, errors.New("it needs a file or a command, and not both"), `write file = "PATH" or command = ["PROGRAM", "ARGUMENT"]`)
	case t.Command != nil && (len(t.Command) == 0 || t.Command[0] == ""):
		return f.Wrong(key+".command", errors.New("it names no program"), `write command = ["PROGRAM", "ARGUMENT"]`)
	}
	var err error
	if t.File, err = f.resolve(t.File); err != nil {
		return f.Wrong(key+".file", err, "write an absolute path")
	}
	// A program that is named by a path is never looked for where the person happens to be.
	if len(t.Command) > 0 && strings.ContainsAny(t.Command[0], `/\`) {
		if t.Command[0], err = f.resolve(t.Command[0]); err != nil {
			return f.Wrong(key+".command", err, "write an absolute path")
		}
	}
	return nil
}

func (f *File) checkHost(i int) error {
	h, key := f.Hosts[i], fmt.Sprintf("host[%d]", i)
	u, err := url.Parse(h.URL)
	const form = "write ws://HOST:PORT or wss://HOST:PORT"
	switch {
	case h.URL == "":
		return f.Wrong(key+".url", errMissing, form)
	case err != nil, u.Host == "", u.Scheme != "ws" && u.Scheme != "wss":
		return f.Wrong(key+".url", errors.New("it is not the address of an agent host"), form)
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return f.Wrong(key+".url", errors.New("it holds more than an address"), form+"; a connection token belongs into a file: --token-file")
	case slices.ContainsFunc(f.Hosts[:i], func(other Host) bool { return other.URL == h.URL }):
		return f.Wrong(key+".url", fmt.Errorf("there are two entries for %q", h.URL), "make one entry of them")
	case h.Insecure && u.Scheme == "wss":
		return f.Wrong(key+".insecure", errors.New("a wss:// address is secure"), "remove it, or write the ws:// address that it is meant for")
	}
	return nil
}

var errMissing = errors.New("it is missing")
