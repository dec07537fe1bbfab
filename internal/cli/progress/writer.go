package progress

import "io"

// Writer is a writer whose bytes a meter counts.
type Writer struct {
	io.Writer
	Meter *Meter
	n     int64
}

// Write implements io.Writer.
func (c *Writer) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	c.Meter.Set(c.n, 0)
	return n, err
}
