package authflow

import (
	"fmt"
	"strings"

	"rsc.io/qr"

	"ahptui/views/frame"
)

// quiet is how many light squares are around a code. The standard wants four;
// cameras do with two, and terminals are small.
const quiet = 2

// maxScan bounds what is made a code of, in bytes. More does not fit on a screen.
const maxScan = 600

// scan adds a text as a QR code (ISO/IEC 18004), or says why there is none.
func (p *painter) scan(text string) {
	halves := p.theme.Halves
	if text == "" || len(text) > maxScan || halves[3] == "" {
		p.paragraph(p.theme.Warning, frame.Own("there is no code to scan: the address is too long, or this terminal has no signs for it"))
		return
	}
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		p.paragraph(p.theme.Warning, frame.Own("the address cannot be made a code to scan"))
		return
	}
	size := code.Size + 2*quiet
	if size > p.width-1 || (size+1)/2 > p.height {
		p.paragraph(p.theme.Warning, frame.Own(fmt.Sprintf("a code to scan needs a window of %d columns and %d lines", size+1, (size+1)/2+chrome)))
		return
	}
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var row strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			light := func(y int) bool { return y < code.Size+quiet && !code.Black(x, y) }
			row.WriteString(halves[bit(light(y))+2*bit(light(y+1))])
		}
		p.put(frame.Line{}.Own(p.theme.Scan, row.String()))
	}
}
