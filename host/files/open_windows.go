package files

// doNotWait is nothing where the opening of a file never waits for another program.
const doNotWait = 0
