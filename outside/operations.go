package outside

type operations struct{}
