package transcript

// folds is what of a chat is unfolded: everything or nothing, but for some.
type folds struct {
	all    bool
	except map[fold]bool
	peeked fold // is unfolded only as long as what is looked for is in it
}

// fold names an item that can be unfolded.
type fold struct {
	kind     Kind
	turn, id string
}

func (i item) fold() fold { return fold{i.kind, i.turn, i.id} }

func newFolds() folds { return folds{except: map[fold]bool{}} }

func (f *folds) toggle(key fold) {
	if f.except[key] {
		delete(f.except, key)
	} else {
		f.except[key] = true
	}
}

func (m *Model) isUnfolded(it item) bool { return m.folds.all != m.folds.except[it.fold()] }

// Toggle unfolds the selected item, or folds it.
func (m *Model) Toggle() {
	if !m.selected.kind.Folds() {
		return
	}
	m.folds.toggle(m.selected.fold())
	m.folds.peeked = fold{}
	m.reveal = true
	m.settle()
}

// ToggleAll folds everything, if anything is unfolded, else it unfolds everything. It reports whether things are unfolded
// now. What is selected stays in sight.
func (m *Model) ToggleAll() (unfolded bool) {
	unfolded = !m.folds.all && len(m.folds.except) == 0
	m.folds = newFolds()
	m.folds.all = unfolded
	m.reveal = m.selected.kind != None
	m.settle()
	return unfolded
}

// peek unfolds an item for something in it that is looked for, and folds the one again that it has unfolded before. No item
// only does the latter.
func (m *Model) peek(it item) {
	key := it.fold()
	if m.folds.peeked == key {
		return
	}
	if old := m.folds.peeked; old.kind != None && m.folds.all != m.folds.except[old] {
		m.folds.toggle(old)
	}
	m.folds.peeked = fold{}
	if it.kind.Folds() && !m.isUnfolded(it) {
		m.folds.toggle(key)
		m.folds.peeked = key
	}
}
