package hermes

import (
	"errors"
	"testing"
	"time"
)

// Places are listed in their order; one that does not answer is taken to have its database
// where it should be, and the first error is given.
func TestPlacesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	at := func(name string) Named { return Named{Location: Location{DB: "/nowhere/" + name}, Name: name} }
	never := make(chan struct{})
	defer close(never)
	places := []place{
		{unseen: at("far"), look: func() ([]Named, error) { <-never; return nil, nil }},
		{unseen: at("unused"), look: func() ([]Named, error) { return nil, nil }},
		{unseen: at("folder"), look: func() ([]Named, error) { return []Named{at("one"), at("two")}, nil }},
	}
	found, err := lookAt(places, 100*time.Millisecond)
	if err != nil || len(found) < 3 || found[0].Name != "far" || found[len(found)-1].Name != "two" && found[len(found)-1].Name != "folder" {
		t.Errorf("%+v, %v", found, err)
	}
	wrong := errors.New("no such profile")
	if _, err = lookAt([]place{{look: func() ([]Named, error) { return nil, wrong }}}, time.Minute); !errors.Is(err, wrong) {
		t.Error(err)
	}
}
