package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/catalyst"
)

// login signs in to Catalyst. Tokens go to the token store and are never shown.
func (a *app) login() *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use: "login", Short: "Sign in to Catalyst", Args: cobra.NoArgs,
		Long: `Signs in to Catalyst in the browser, read-only, and keeps the sign-in in the
system's keyring, else in a file that only you can read. catalyst.client_id must
be configured: it is the OAuth client registered for this program. Without a
browser, set ` + catalyst.TokenEnv + ` instead.`,
		Example: "  idem-mcp login\n  idem-mcp login --no-browser",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(a.configPath, a.Env)
			if err != nil {
				return err
			}
			open := func(address string) error { return catalyst.OpenBrowser(cmd.Context(), address, c.getenv) }
			prompt := catalyst.Prompt{Open: open, Show: func(address string) {
				fmt.Fprintf(a.Stderr, "Open this address to sign in:\n\n  %s\n\n", address)
			}}
			if quiet {
				prompt.Open = nil
			}
			in, err := catalyst.Login(cmd.Context(), catalystConfig(c, reading(c)), prompt)
			if err != nil {
				return err
			}
			note := ""
			if !in.Renewable {
				note = " It cannot be renewed: sign in again when it expires."
			}
			_, err = fmt.Fprintf(a.Stdout, "Signed in to %s (%s), scopes %s; kept in %s.%s\n", in.Server, in.Issuer, in.Scope, in.KeptIn, note)
			return err
		},
	}
	cmd.Flags().BoolVar(&quiet, "no-browser", false, "only print the address")
	return cmd
}

// logout forgets the sign-in.
func (a *app) logout() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the sign-in to Catalyst", Args: cobra.NoArgs,
		Example: "  idem-mcp logout",
		Long:    "Removes the stored sign-in. Catalyst has no revocation: a token that was given out stays valid until it expires.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(a.configPath, a.Env)
			if err != nil {
				return err
			}
			was, err := catalyst.Logout(cmd.Context(), catalystConfig(c, reading(c)))
			if err != nil {
				return err
			}
			text := "Nobody was signed in."
			if was {
				text = "The sign-in is forgotten. Its tokens stay valid until they expire."
			}
			_, err = fmt.Fprintln(a.Stdout, text)
			return err
		},
	}
}
