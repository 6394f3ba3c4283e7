package review_test

import (
	"testing"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// TestNamesWithoutWords: a function may be called _ or $.
func TestNamesWithoutWords(t *testing.T) {
	for name, source := range map[string]string{
		"a.ts": "import { _, $, Client } from 'acme-sdk';\nconst ordersApi = new OrdersApi();\nexport async function act(id: string) {\n  await ordersApi._().execute();\n  await $(id);\n  await new Client()._(id);\n}\n",
		"a.go": "package a\n\nimport (\n\t\"context\"\n\n\t\"acme.example/sdk\"\n)\n\nfunc act(ctx context.Context, id string) error {\n\tordersApi := sdk.NewOrdersApi()\n\tordersApi.__().Execute()\n\treturn sdk.__(ctx, id)\n}\n",
		"a.py": "from acme import _\n\ndef act(ctx, id):\n    _(id).execute()\n",
	} {
		t.Run(name, func(t *testing.T) {
			res, err := review.Review(t.Context(), review.Config{Files: fstest.MapFS{name: text(source)}, Symbols: []string{"act"}, Languages: lang.All(), Rules: rules.All()})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Activities) != 1 {
				t.Errorf("%d activities", len(res.Activities))
			}
		})
	}
}
