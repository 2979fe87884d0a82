// Package safetext makes text that a peer sent safe to print on a terminal.
//
// A [Text] is one line and a [Block] several; both can be made only by cleaning
// ([Clean], [CleanBlock], [Flow], [URL]) or from a constant of our own
// ([Const]), so a function that takes a Text cannot be handed raw peer text.
// What is in a Text is printed as it stands: it holds no control byte, no
// character that is invisible or reorders its neighbours, and every grapheme
// cluster in it has a width that the layout can count on.
//
// What is taken out leaves a trace, so that nothing is hidden from the reader:
//
//   - C0, DEL and C1 controls become `\x1b` and the like, so an escape sequence
//     is shown, not run (ECMA-48);
//   - bytes that are not UTF-8, lone surrogates among them, become U+FFFD;
//   - bidirectional controls, zero-width and other format characters, tag
//     characters, stray variation selectors and the line and paragraph
//     separators become a dot (UAX #9, UTS #36, UTS #39);
//   - a combining mark without a base gets a dotted circle, and marks beyond
//     [maxMarks] on one base are dropped.
//
// Emoji keep their glyphs but lose what only joins or dresses them (variation
// selector, skin tone, zero-width joiner): terminals disagree about the width
// of such sequences, and a row that is one column off breaks the frame around
// it.
package safetext
