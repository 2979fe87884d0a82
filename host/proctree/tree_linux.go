package proctree

import (
	"bytes"
	"os"
	"strconv"
)

// A proc is a process as /proc/PID/stat tells it, see proc_pid_stat(5).
// The start time makes it unique: a process id is given out again.
type proc struct {
	pid, parent, group int
	start              uint64
	zombie             bool
}

// alive reports whether the very same process still runs.
func (p proc) alive() bool {
	now, ok := readProc(strconv.Itoa(p.pid))
	return ok && now.start == p.start && !now.zombie
}

func readProc(pid string) (proc, bool) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return proc{}, false
	}
	// The second field is the program's name in parentheses, and may hold anything.
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return proc{}, false
	}
	f := bytes.Fields(data[end+1:])
	if len(f) < 20 {
		return proc{}, false
	}
	num := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	start, _ := strconv.ParseUint(string(f[19]), 10, 64)
	return proc{
		pid: num([]byte(pid)), parent: num(f[1]), group: num(f[2]), start: start,
		zombie: f[0][0] == 'Z' || f[0][0] == 'X',
	}, true
}

// census returns all processes that can be seen.
func census() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []proc
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if p, ok := readProc(name); ok {
			all = append(all, p)
		}
	}
	return all
}

// strays returns the descendants of leader that are outside its group, and of
// those, together with the ones in known, the descendants too. Processes whose
// parents died before anyone looked cannot be found.
func strays(leader int, known []proc) []proc {
	all := census()
	family := map[int]bool{leader: true}
	out := known[:0:0]
	for _, k := range known {
		if k.alive() {
			family[k.pid] = true
			out = append(out, k)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if family[p.pid] || p.group != leader && !family[p.parent] {
				continue
			}
			family[p.pid], grown = true, true
			if p.group != leader && !p.zombie {
				out = append(out, p)
			}
		}
	}
	return out
}

// groupAlive reports whether a process of the group runs. Zombies do not count:
// where nobody collects orphans they stay for ever.
func groupAlive(leader int) bool {
	if !groupExists(leader) {
		return false
	}
	all := census()
	for _, p := range all {
		if p.group == leader && !p.zombie {
			return true
		}
	}
	return len(all) == 0 // without /proc: believe the signal
}
