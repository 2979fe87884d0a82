package guard

import (
	"fmt"
	"net/netip"
)

// Class is the kind of network that an address belongs to.
type Class int

// The classes of addresses.
const (
	Public    Class = iota
	Loopback        // this machine
	Private         // a network that is not reachable from everywhere: a company's, a home's
	Forbidden       // never to be contacted: link-local, multicast, metadata services of clouds, reserved
)

// String names the class in words that fit after "an address".
func (c Class) String() string {
	switch c {
	case Public:
		return "of the public internet"
	case Loopback:
		return "of this machine"
	case Private:
		return "of a private network"
	default:
		return "that is never contacted"
	}
}

// An addressRange is a part of the address space with something to say about it.
type addressRange struct {
	prefix netip.Prefix
	class  Class
	name   string
}

// The ranges of the IANA special-purpose address registries (RFC 6890) and the addresses of metadata services of clouds.
// The first that fits decides, so narrow ones stand before wide ones.
var (
	ranges4 = []addressRange{
		{netip.MustParsePrefix("0.0.0.0/8"), Forbidden, "unspecified"},
		{netip.MustParsePrefix("10.0.0.0/8"), Private, "private"},
		{netip.MustParsePrefix("100.64.0.0/10"), Forbidden, "shared by carriers"},
		{netip.MustParsePrefix("127.0.0.0/8"), Loopback, "loopback"},
		{netip.MustParsePrefix("168.63.129.16/32"), Forbidden, "metadata service"},
		{netip.MustParsePrefix("169.254.0.0/16"), Forbidden, "link-local"},
		{netip.MustParsePrefix("172.16.0.0/12"), Private, "private"},
		{netip.MustParsePrefix("192.0.0.0/24"), Forbidden, "reserved"},
		{netip.MustParsePrefix("192.0.2.0/24"), Forbidden, "documentation"},
		{netip.MustParsePrefix("192.88.99.0/24"), Forbidden, "reserved"},
		{netip.MustParsePrefix("192.168.0.0/16"), Private, "private"},
		// Meant for benchmarks; proxies on a person's own machine answer every name from it.
		{netip.MustParsePrefix("198.18.0.0/15"), Private, "benchmarking"},
		{netip.MustParsePrefix("198.51.100.0/24"), Forbidden, "documentation"},
		{netip.MustParsePrefix("203.0.113.0/24"), Forbidden, "documentation"},
		{netip.MustParsePrefix("224.0.0.0/4"), Forbidden, "multicast"},
		{netip.MustParsePrefix("240.0.0.0/4"), Forbidden, "reserved"},
	}
	ranges6 = []addressRange{
		{netip.MustParsePrefix("::/128"), Forbidden, "unspecified"},
		{netip.MustParsePrefix("::1/128"), Loopback, "loopback"},
		{netip.MustParsePrefix("2001::/23"), Forbidden, "reserved"}, // Teredo and ORCHID among them
		{netip.MustParsePrefix("2001:db8::/32"), Forbidden, "documentation"},
		{netip.MustParsePrefix("3fff::/20"), Forbidden, "documentation"},
		{netip.MustParsePrefix("2000::/3"), Public, "global"},
		{netip.MustParsePrefix("fd00:ec2::/32"), Forbidden, "metadata service"},
		{netip.MustParsePrefix("fd20:ce::/32"), Forbidden, "metadata service"},
		{netip.MustParsePrefix("fc00::/7"), Private, "private"},
		{netip.MustParsePrefix("fe80::/10"), Forbidden, "link-local"},
		{netip.MustParsePrefix("ff00::/8"), Forbidden, "multicast"},
	}
)

// translations are the IPv6 ranges whose addresses stand for IPv4 ones, with the byte at which that one begins.
var translations = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64 (RFC 6052, section 2.1)
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4 (RFC 3056)
}

// Classify says what kind of network addr belongs to. An IPv6 address that stands for an IPv4 one is public when that
// one is, and forbidden otherwise; an IPv4-mapped one is the IPv4 address.
func Classify(addr netip.Addr) Class {
	class, _ := classify(addr)
	return class
}

func classify(addr netip.Addr) (Class, string) {
	if !addr.IsValid() {
		return Forbidden, "invalid"
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return lookup(addr, ranges4, Public, "public")
	}
	for _, t := range translations {
		if t.prefix.Contains(addr) {
			bytes := addr.As16()
			inner := netip.AddrFrom4([4]byte(bytes[t.at:]))
			if class, name := classify(inner); class != Public {
				return Forbidden, name + " by way of a translator"
			}
			return Public, "translated"
		}
	}
	return lookup(addr, ranges6, Forbidden, "reserved")
}

func lookup(addr netip.Addr, ranges []addressRange, class Class, name string) (Class, string) {
	for _, r := range ranges {
		if r.prefix.Contains(addr) {
			return r.class, r.name
		}
	}
	return class, name
}

// AddressError says that a URL leads to an address that the policy does not allow.
type AddressError struct {
	Host  string     // as the URL spells it, empty when only the address is known
	Addr  netip.Addr // the zero Addr for localhost before it was resolved
	Class Class
	name  string
}

// Error implements error.
func (e *AddressError) Error() string {
	switch {
	case !e.Addr.IsValid():
		return fmt.Sprintf("%s is an address %s", e.Host, e.Class)
	case e.Class == Forbidden:
		return fmt.Sprintf("%s is an address %s (%s)", e.Addr, e.Class, e.name)
	default:
		return fmt.Sprintf("%s is an address %s", e.Addr, e.Class)
	}
}
