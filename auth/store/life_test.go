package store

import (
	"testing"
	"time"

	"ahptui/internal/secret"
)

// noon is any time.
func noon() time.Time { return time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC) }

func TestMeasureSkew(t *testing.T) {
	t.Parallel()
	sent := noon()
	for name, tt := range map[string]struct {
		date     time.Time
		received time.Duration
		want     Skew
	}{
		"no date":                  {time.Time{}, time.Second, Skew{}},
		"the same clock":           {sent, 200 * time.Millisecond, Skew{0, true}},
		"the header has no parts":  {sent.Add(-900 * time.Millisecond), 200 * time.Millisecond, Skew{0, true}},
		"lost in a slow answer":    {sent.Add(4 * time.Second), 8 * time.Second, Skew{0, true}},
		"ahead":                    {sent.Add(10 * time.Minute), 0, Skew{601, true}},
		"behind":                   {sent.Add(-10 * time.Minute), 0, Skew{-600, true}},
		"behind, by a slow answer": {sent.Add(-10 * time.Minute), 20 * time.Second, Skew{-610, true}},
	} {
		if got := MeasureSkew(tt.date, sent, sent.Add(tt.received)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	skew := func(seconds int64) Skew { return Skew{seconds, true} }
	for name, tt := range map[string]struct {
		lives       time.Duration // 0: unknown
		then, now   Skew
		after       time.Duration
		wantSeconds int64
		wantKnown   bool
		wantEnded   bool
	}{
		"new":                                   {hour, Skew{}, Skew{}, 0, 3600, true, false},
		"parts of seconds are not promised":     {hour, Skew{}, Skew{}, 1500 * time.Millisecond, 3598, true, false},
		"the last second":                       {hour, Skew{}, Skew{}, hour - 300*time.Millisecond, 1, true, false},
		"its end":                               {hour, Skew{}, Skew{}, hour, 1, true, true},
		"over":                                  {hour, Skew{}, Skew{}, 9 * hour, 1, true, true},
		"nobody knows":                          {0, Skew{}, Skew{}, 9 * hour, 0, false, false},
		"a wrong clock that stays wrong":        {hour, skew(600), skew(600), hour / 2, 1800, true, false},
		"a wrong clock, measured only then":     {hour, skew(600), Skew{}, hour / 2, 1800, true, false},
		"a wrong clock, measured only now":      {hour, Skew{}, skew(600), hour / 2, 1800, true, false},
		"set back by half an hour since":        {hour, skew(0), skew(1800), hour / 4, 900, true, false},
		"set back beyond its end":               {hour, skew(0), skew(3600), 0, 1, true, true},
		"set right since, it had been too fast": {hour, skew(-1800), skew(0), -hour / 2, 3600, true, false},
	} {
		token := Token{Obtained: noon(), Skew: tt.then}
		if tt.lives != 0 {
			token.Expires = noon().Add(tt.lives)
		}
		clock := Clock{Now: noon().Add(tt.after), Skew: tt.now}
		if seconds, known := token.ExpiresIn(clock); seconds != tt.wantSeconds || known != tt.wantKnown {
			t.Errorf("%s: expires in %d, %v, want %d, %v", name, seconds, known, tt.wantSeconds, tt.wantKnown)
		}
		if ended := token.Ended(clock); ended != tt.wantEnded {
			t.Errorf("%s: ended: %v", name, ended)
		}
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		token  Token
		lives  time.Duration
		clock  Clock
		jitter float64
		want   time.Duration // after it was obtained
		never  bool
	}{
		"an hour, at 80 %":           {lives: time.Hour, want: 48 * time.Minute},
		"spread over a tenth":        {lives: time.Hour, jitter: 1, want: 48*time.Minute - 72*time.Second},
		"half of the spread":         {lives: time.Hour, jitter: 0.5, want: 48*time.Minute - 36*time.Second},
		"at least 30 s before":       {lives: 100 * time.Second, want: 70 * time.Second},
		"not in the first half":      {lives: 40 * time.Second, want: 20 * time.Second},
		"not at once":                {lives: 2 * time.Second, want: time.Second},
		"interrupted, at its end":    {token: Token{Attempted: true}, lives: time.Hour, jitter: 1, want: time.Hour},
		"the clock was set":          {token: Token{Skew: Skew{0, true}}, clock: Clock{Skew: Skew{600, true}}, lives: time.Hour, want: 38 * time.Minute},
		"a clock that was set amiss": {lives: -time.Hour, want: -time.Hour},
		"nobody knows its end":       {never: true},
	} {
		token := tt.token
		token.Refresh, token.Obtained = secret.New("r"), noon()
		if tt.lives != 0 {
			token.Expires = noon().Add(tt.lives)
		}
		at, due := token.Due(tt.clock, tt.jitter)
		if due == tt.never || due && at.Sub(noon()) != tt.want {
			t.Errorf("%s: due %v after %v, want %v", name, due, at.Sub(noon()), tt.want)
		}
		token.Refresh = secret.Value{}
		if _, due := token.Due(tt.clock, tt.jitter); due {
			t.Errorf("%s: it cannot be refreshed, but is due", name)
		}
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		left     time.Duration // 0: nobody knows
		failures int
		want     time.Duration // 0: not at all
	}{
		"first":               {12 * time.Minute, 1, 30 * time.Second},
		"none so far":         {12 * time.Minute, 0, 30 * time.Second},
		"second":              {12 * time.Minute, 2, time.Minute},
		"fourth":              {12 * time.Minute, 4, 4 * time.Minute},
		"fifth":               {12 * time.Minute, 5, 5 * time.Minute},
		"hundredth":           {12 * time.Minute, 100, 5 * time.Minute},
		"the end comes close": {time.Minute, 5, 30 * time.Second},
		"very close":          {3 * time.Second, 5, 5 * time.Second},
		"over":                {-time.Second, 1, 0},
		"nobody knows":        {0, 1, 30 * time.Second},
	} {
		token := Token{Obtained: noon().Add(-time.Hour)}
		if tt.left != 0 {
			token.Expires = noon().Add(tt.left)
		}
		at, again := token.Retry(At(noon()), tt.failures)
		if again != (tt.want != 0) || again && at.Sub(noon()) != tt.want {
			t.Errorf("%s: %v after %v, want %v", name, again, at.Sub(noon()), tt.want)
		}
	}
}
