package themes

// Frame is the signs that frames are drawn with, each one column wide.
type Frame struct {
	Horizontal, Vertical    string
	TopLeft, TopRight       string
	BottomLeft, BottomRight string
	Down, Up, Right, Left   string // a line that leaves another one that way
	Cross                   string
}

func lineFrame() Frame {
	return Frame{
		Horizontal: "─", Vertical: "│",
		TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘",
		Down: "┬", Up: "┴", Right: "├", Left: "┤", Cross: "┼",
	}
}

func asciiFrame() Frame {
	return Frame{
		Horizontal: "-", Vertical: "|",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		Down: "+", Up: "+", Right: "+", Left: "+", Cross: "+",
	}
}

// Signs is the other signs, each one column wide.
type Signs struct {
	Folded, Unfolded string // before what can be opened
	Guide            string // at the left of what belongs to the line above
	Composer         string // before what is typed
	Alert            string // before the count of what is blocked
	Above, Below     string // there is more in that direction
	Bullet           string // between two things in a line
	Times            string // before a number of things
}

func lineSigns() Signs {
	return Signs{
		Folded: "▸", Unfolded: "▾", Guide: "│", Composer: "›", Alert: "⚠",
		Above: "↑", Below: "↓", Bullet: "·", Times: "×",
	}
}

func asciiSigns() Signs {
	return Signs{
		Folded: ">", Unfolded: "v", Guide: "|", Composer: ">", Alert: "!",
		Above: "^", Below: "v", Bullet: "-", Times: "x",
	}
}
