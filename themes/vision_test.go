package themes

import (
	"image/color"
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// What three kinds of colour blindness make of linear red, green and blue, for those
// who have them wholly (Machado, Oliveira and Fernandes 2009).
var blindness = map[string][3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// The tones that say what state something is in are told apart by those who are
// colour blind, in the theme that is made for them.
func TestColourBlindTellsTonesApart(t *testing.T) {
	t.Parallel()
	const apart = 20 // CIE 1976; 2.3 is just noticeable
	names := map[tone]string{good: "good", waits: "waiting", failed: "error"}
	for _, dark := range []bool{true, false} {
		theme := mustNew(t, ColourBlind, Options{Dark: dark, Profile: colorprofile.TrueColor})
		for kind, matrix := range blindness {
			for a := range names {
				for b := range names {
					if a >= b {
						continue
					}
					x, y := seen(theme.tones[a].GetForeground(), matrix), seen(theme.tones[b].GetForeground(), matrix)
					if d := math.Sqrt(sq(x[0]-y[0]) + sq(x[1]-y[1]) + sq(x[2]-y[2])); d < apart {
						t.Errorf("dark %v, %s: %s and %s are %.0f apart, want %d", dark, kind, names[a], names[b], d, apart)
					}
				}
			}
		}
	}
}

func sq(x float64) float64 { return x * x }

// seen is a colour as someone sees it, in CIE L*a*b*.
func seen(c color.Color, by [3][3]float64) [3]float64 {
	rgb := linear(c)
	var out [3]float64
	for i, row := range by {
		out[i] = min(1, max(0, row[0]*rgb[0]+row[1]*rgb[1]+row[2]*rgb[2]))
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*out[0] + 0.3576*out[1] + 0.1805*out[2]) / 0.9505)
	y := f(0.2126*out[0] + 0.7152*out[1] + 0.0722*out[2])
	z := f((0.0193*out[0] + 0.1192*out[1] + 0.9505*out[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
