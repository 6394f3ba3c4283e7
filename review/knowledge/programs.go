package knowledge

import (
	"path"
	"slices"
	"strings"
)

// harmless are programs that look, or make files that a second run makes again.
var harmless = []string{
	"ffprobe", "identify", "exiftool", "mediainfo", "file", "stat", "ls", "cat", "echo", "grep", "which", "head", "tail", "wc", "du", "df", "uname", "hostname", "whoami", "date", "pwd", "printenv", "sleep", "true", "md5sum", "sha256sum", "pdfinfo", "pdftotext", "jq", "dig", "ping", "nslookup", "ps", "nvidia-smi",
	"ffmpeg", "convert", "magick", "gs", "tesseract", "pdftoppm", "libreoffice", "soffice", "wkhtmltopdf", "pandoc", "tar", "zip", "unzip", "7z", "sox", "yt-dlp", "youtube-dl", "audiowaveform", "whisper", "jpegoptim", "oxipng", "cwebp", "pg_dump", "mysqldump", "mongodump",
	"tsc", "gcc", "javac", "protoc", "black", "prettier", "gofmt", "eslint", "ruff", "mypy",
}

// looks are the subcommands, of programs that act by others, that look or lead to the
// same again. Running tests or code of a project, and git reset, which can be relative,
// are none.
var looks = map[string][]string{
	"git":       {"status", "log", "diff", "rev-parse", "show", "ls-remote", "ls-files", "describe", "fetch", "pull", "checkout", "init", "add", "version"},
	"go":        {"build", "vet", "version", "list", "env", "fmt"},
	"terraform": {"plan", "show", "output", "validate", "init", "fmt", "version"},
	"tofu":      {"plan", "show", "output", "validate", "init", "fmt", "version"},
	"kubectl":   {"get", "describe", "logs", "version", "apply", "wait", "top", "config"},
	"docker":    {"ps", "inspect", "images", "logs", "version", "pull", "build", "info"},
	"helm":      {"list", "status", "get", "template", "version", "repo", "lint"},
	"npm":       {"install", "ci", "view", "ls"},
	"pip":       {"install", "list", "show", "freeze"},
}

// HarmlessProgram reports a command line whose second run leaves things as the
// first: words are the program and its arguments, as far as they are literal.
func HarmlessProgram(words []string) bool {
	if len(words) == 0 {
		return false
	}
	name := strings.TrimSuffix(path.Base(words[0]), ".exe")
	if slices.Contains(harmless, name) {
		return true
	}
	if name == "find" {
		return !slices.ContainsFunc(words, func(w string) bool {
			return w == "-delete" || strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || strings.HasPrefix(w, "-fprint") || w == "-fls"
		})
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			return slices.Contains(looks[name], w)
		}
	}
	return false
}
