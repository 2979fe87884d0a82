package guard

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

var quiet = log.New(io.Discard, "", 0)

// names is a name service that says what a test wants, also something else the next time.
type names struct {
	mu    sync.Mutex
	addrs map[string][]string
	wg    sync.WaitGroup
}

func newNames(t *testing.T, addrs map[string][]string) *names {
	t.Helper()
	n := &names{addrs: addrs}
	t.Cleanup(n.wg.Wait)
	return n
}

func (n *names) set(name string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addrs[name] = addrs
}

// resolver is Go's own resolver, asking n over a pipe. A pipe is no packet connection, so it speaks as over TCP.
func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		n.wg.Go(func() { n.serve(server) })
		return client, nil
	}}
}

func (n *names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer := n.answer(question)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (n *names) answer(packet []byte) []byte {
	var message dnsmessage.Message
	if err := message.Unpack(packet); err != nil || len(message.Questions) != 1 {
		return nil
	}
	question := message.Questions[0]
	n.mu.Lock()
	addrs, known := n.addrs[strings.TrimSuffix(question.Name.String(), ".")]
	n.mu.Unlock()
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: message.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: message.Questions,
	}
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range addrs {
		addr := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
		switch {
		case addr.Is4() && question.Type == dnsmessage.TypeA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && question.Type == dnsmessage.TypeAAAA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	out, err := reply.Pack()
	if err != nil {
		return nil
	}
	return out
}
