package scenario

import (
	"testing"

	"holdfast/tests/story"
)

func TestStories(t *testing.T) { story.Test(t, 60, Play) }
