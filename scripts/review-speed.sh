#!/bin/sh
# Compares `idem-mcp review` with `ast-grep scan` of the same 1,000 files, with a
# handful of rules, in alternation on this machine: seconds on the clock and
# seconds of processor, of each, per round. The files are made of the labelled
# corpus, about 250 lines each, in a folder of their own.
#
#   AST_GREP=path/to/ast-grep scripts/review-speed.sh [ROUNDS] [FILES]
#   SRC=folder AST_GREP=… scripts/review-speed.sh    # files of your own instead
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3} files=${2:-1000} ast=${AST_GREP:-ast-grep}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/idem-mcp" ./cmd/idem-mcp
mkdir "$dir/src" "$dir/rules"

n=0
if [ -n "${SRC:-}" ]; then
	cp -r "$SRC/." "$dir/src"
	n=$files
fi
while [ "$n" -lt "$files" ]; do
	for f in review/testdata/corpus/*/*; do
		[ "$n" -lt "$files" ] || break
		ext=${f##*.}
		base=$(basename "$f" ".$ext")
		mkdir -p "$dir/src/app$((n / 11))"
		sed "s/Order/Order$n/g" "$f" >"$dir/src/app$((n / 11))/$base.$ext"
		n=$((n + 1))
	done
done
echo "ruleDirs: [rules]" >"$dir/sgconfig.yml"
rule() { printf 'id: %s\nlanguage: %s\nseverity: warning\nmessage: found\nrule: { pattern: "%s" }\n' "$1" "$2" "$3" >"$dir/rules/$1.yml"; }
rule py Python 'requests.post($$$A)'
rule cs CSharp '$X.PostAsJsonAsync($$$A)'
rule java Java '$X.postForObject($$$A)'
rule go Go 'http.Post($$$A)'
rule ts TypeScript 'axios.post($$$A)'

echo "$(find "$dir/src" -type f | wc -l) files, $(find "$dir/src" -type f -exec cat {} + | wc -l) lines"
took() { # name command…
	name=$1
	shift
	( cd "$dir" && TIMEFORMAT='%R %U %S' && bash -c "TIMEFORMAT='%R %U %S'; time \"\$@\" >/dev/null 2>&1" took "$@" 2>&1 ) | awk -v n="$name" '{ printf "%-10s %6.2f s on the clock, %6.2f s of processor\n", n, $1, $2 + $3 }'
}
i=0
while [ "$i" -lt "$rounds" ]; do
	took ast-grep "$ast" scan src
	took idem-mcp ./idem-mcp review src
	i=$((i + 1))
done
