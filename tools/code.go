package tools

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/internal/rootfs"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// Code governs what source text may be read.
type Code struct {
	// Roots are the absolute folders that an assistant may have reviewed. A person
	// in a shell names what to read, so there they do not bind.
	Roots []string
	// Effects are the team's own wrappers.
	Effects []knowledge.Row
}

// place is a path to review: the folder that is opened, the part of it to
// report on, and the folder that answers name files relative to.
type place struct {
	root, part, base string
}

// locate finds the project around a path, so that what its code calls is found
// too. Symbolic links are resolved before the roots are checked; the folder is
// then opened in a way that links inside it cannot leave.
func (d Deps) locate(path string) (place, error) {
	abs, err := d.absolute(path)
	if err != nil {
		return place{}, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return place{}, &fault.Error{Kind: fault.NotFound, What: "review " + clean.Line(path, 200) + ": no such file or folder", Means: "nothing was reviewed", Do: "Check the path; it may be relative to " + d.baseFolder()}
	}
	within := ""
	for _, r := range d.Code.Roots {
		if root, err := filepath.EvalSymlinks(r); err == nil && under(root, real) && len(root) > len(within) {
			within = root
		}
	}
	if within == "" && !d.Shell {
		return place{}, &fault.Error{Kind: fault.Forbidden, What: "review " + clean.Line(path, 200) + ": it is outside the allowed roots",
			Means: "nothing was read", Do: "Allowed: " + strings.Join(d.Code.Roots, ", ") + ". The operator widens this with review.roots"}
	}
	info, err := os.Stat(real)
	if err != nil {
		return place{}, &fault.Error{Kind: fault.Forbidden, What: "review " + clean.Line(path, 200), Cause: err}
	}
	p := place{base: real}
	if !info.IsDir() {
		p.base = filepath.Dir(real)
		if cwd, err := os.Getwd(); err == nil && under(cwd, real) {
			p.base = cwd
		}
	}
	start := real
	if !info.IsDir() {
		start = filepath.Dir(real)
	}
	if d.Shell {
		within = "" // the roots do not bind
	}
	p.root = project(start, within)
	part, err := filepath.Rel(p.root, real)
	if err != nil {
		return place{}, fmt.Errorf("review %s: %w", clean.Line(path, 200), err)
	}
	p.part = filepath.ToSlash(part)
	return p, nil
}

func (d Deps) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	if d.Shell || len(d.Code.Roots) == 0 {
		return filepath.Abs(path)
	}
	for _, r := range d.Code.Roots { // the first root that has it
		if _, err := os.Lstat(filepath.Join(r, path)); err == nil {
			return filepath.Join(r, path), nil
		}
	}
	return filepath.Join(d.Code.Roots[0], path), nil
}

func (d Deps) baseFolder() string {
	if d.Shell || len(d.Code.Roots) == 0 {
		return "the working directory"
	}
	return strings.Join(d.Code.Roots, ", ")
}

func under(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// projectFiles mark the top of a project where there is no version control.
var projectFiles = [...]string{"go.mod", "go.work", "package.json", "pyproject.toml", "setup.py", "requirements.txt", "pom.xml", "build.gradle", "build.gradle.kts", "*.sln", "*.csproj"}

// maxClimb bounds how far above a path its project is looked for.
const maxClimb = 8

// project climbs from dir to the top of its repository, or else to the highest
// folder that a build file marks, never above limit ("": no limit) nor to the
// home folder.
func project(dir, limit string) string {
	home, _ := os.UserHomeDir()
	top := dir
	for at, n := dir, 0; n < maxClimb; n++ {
		if at == filepath.Dir(at) || (at == home && at != dir) || (limit != "" && !under(limit, at)) {
			break
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		for _, mark := range projectFiles {
			if hits, _ := filepath.Glob(filepath.Join(at, mark)); len(hits) > 0 {
				top = at
				break
			}
		}
		at = filepath.Dir(at)
	}
	return top
}

// reviewPaths reviews every path and joins the results, files named relative to
// the path they were found under.
func (d Deps) reviewPaths(ctx context.Context, paths, symbols []string) (review.Result, error) {
	var all review.Result
	for _, path := range paths {
		p, err := d.locate(path)
		if err != nil {
			return all, err
		}
		root, err := os.OpenRoot(p.root)
		if err != nil {
			return all, &fault.Error{Kind: fault.Forbidden, What: "open " + clean.Line(p.root, 200), Cause: err}
		}
		files := rootfs.New(root)
		res, err := d.review(ctx, review.Config{Files: files, Paths: []string{p.part}, Symbols: symbols})
		files.Close()
		_ = root.Close() // opened for reading
		if err != nil {
			return all, err
		}
		relocate(&res, p)
		all.Activities = append(all.Activities, res.Activities...)
		all.Skipped = append(all.Skipped, res.Skipped...)
		all.Workflows = append(all.Workflows, res.Workflows...)
		all.Suppressions = append(all.Suppressions, res.Suppressions...)
		all.Files += res.Files
		for _, n := range res.NotVisible {
			if !slices.Contains(all.NotVisible, n) {
				all.NotVisible = append(all.NotVisible, n)
			}
		}
	}
	return all, nil
}

// review reviews what c names, with the languages, rules and effects of this program.
func (d Deps) review(ctx context.Context, c review.Config) (review.Result, error) {
	c.Languages, c.Rules, c.Effects = lang.All(), rules.All(), d.Code.Effects
	res, err := review.Review(ctx, c)
	if err != nil && ctx.Err() == nil {
		return res, &fault.Error{Kind: fault.Unsupported, What: "review code", Cause: err, Means: "nothing was reviewed"}
	}
	return res, err
}

// inlineNames are the file names that pasted text of a language is reviewed
// under.
var inlineNames = map[string]string{"python": "inline.py", "csharp": "inline.cs", "java": "inline.java", "go": "inline.go", "javascript": "inline.js", "typescript": "inline.ts"}

// reviewText reviews pasted source.
func (d Deps) reviewText(ctx context.Context, text, language string, symbols []string) (review.Result, error) {
	var archive bytes.Buffer // a zip archive in memory is a file system
	w := zip.NewWriter(&archive)
	f, err := w.Create(inlineNames[language])
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return review.Result{}, fmt.Errorf("hold the pasted text: %w", err)
	}
	files, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		return review.Result{}, fmt.Errorf("hold the pasted text: %w", err)
	}
	return d.review(ctx, review.Config{Files: files, Symbols: symbols})
}

// relocate names every file relative to the place's base, and leaves out what was
// skipped elsewhere in the project.
func relocate(res *review.Result, p place) {
	res.Skipped = slices.DeleteFunc(res.Skipped, func(s review.Skipped) bool {
		return p.part != "." && s.File != p.part && !strings.HasPrefix(s.File, p.part+"/")
	})
	name := func(file *string) {
		slash := strings.HasSuffix(*file, "/")
		if rel, err := filepath.Rel(p.base, filepath.Join(p.root, filepath.FromSlash(*file))); err == nil {
			*file = filepath.ToSlash(rel)
		}
		if slash {
			*file += "/"
		}
	}
	sites := func(list []review.Site) {
		for i := range list {
			name(&list[i].File)
		}
	}
	for i := range res.Activities {
		a := &res.Activities[i]
		name(&a.File)
		for j := range a.Effects {
			name(&a.Effects[j].File)
			sites(a.Effects[j].Path)
		}
		for j := range a.CallSites {
			name(&a.CallSites[j].File)
		}
		for j := range a.Findings {
			name(&a.Findings[j].File)
			sites(a.Findings[j].Path)
		}
	}
	for i := range res.Workflows {
		w := &res.Workflows[i]
		name(&w.File)
		for j := range w.Findings {
			name(&w.Findings[j].File)
			sites(w.Findings[j].Path)
		}
	}
	for i := range res.Suppressions {
		name(&res.Suppressions[i].File)
	}
	for i := range res.Skipped {
		name(&res.Skipped[i].File)
	}
}
