package release

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Write makes the bundle and server.json of a version in the folder out. programs
// has a file for each of [Platforms], texts further files by their name in the
// bundle, such as LICENSE.
func Write(version, out string, programs, texts map[string]string) error {
	manifest, err := Manifest(version)
	if err != nil {
		return err
	}
	path := filepath.Join(out, BundleName(version))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	err = writeBundle(io.MultiWriter(f, sum), manifest, programs, texts)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	server, err := Server(version, hex.EncodeToString(sum.Sum(nil)))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "server.json"), server, 0o644)
}

// writeBundle writes the archive. Its times are empty, so that the same programs
// give the same bundle.
func writeBundle(w io.Writer, manifest []byte, programs, texts map[string]string) error {
	z := zip.NewWriter(w)
	m, err := z.Create("manifest.json")
	if err != nil {
		return err
	}
	if _, err := m.Write(manifest); err != nil {
		return err
	}
	for _, p := range Platforms() {
		if programs[p.Name] == "" {
			return fmt.Errorf("there is no program for %s", p.Name)
		}
		if err := add(z, p.Program, programs[p.Name], 0o755); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := add(z, name, texts[name], 0o644); err != nil {
			return err
		}
	}
	return z.Close()
}

func add(z *zip.Writer, name, path string, mode os.FileMode) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(mode)
	into, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(into, f)
	return err
}
