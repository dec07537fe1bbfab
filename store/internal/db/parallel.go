package db

// Parallel runs two functions at the same time and waits for both. The error is that
// of one, else that of other; a panic of other is raised again in the caller.
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

// ParallelIf runs two functions at the same time where worth is true, else one after
// the other, and then other only if one succeeded.
func ParallelIf(worth bool, one, other func() error) error {
	if worth {
		return Parallel(one, other)
	}
	if err := one(); err != nil {
		return err
	}
	return other()
}
