package db

// Parallel does two things at the same time. The error is that of the first
// that has one; a panic of either is the caller's.
func Parallel(one, other func() error) error {
	type end struct {
		err   error
		panic any
	}
	ended := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			e.panic = recover()
			ended <- e
		}()
		e.err = other()
	}()
	err := one()
	e := <-ended
	if e.panic != nil {
		panic(e.panic)
	}
	if err != nil {
		return err
	}
	return e.err
}

// ParallelIf runs two functions at the same time where that is worth it, else one
// after the other.
func ParallelIf(worth bool, one, other func() error) error {
	if worth {
		return Parallel(one, other)
	}
	if err := one(); err != nil {
		return err
	}
	return other()
}
