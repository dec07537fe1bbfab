# Builds hermes-sessions from these sources, with completions and manual pages:
#
#	nix build
#	nix run . -- --demo
#
# It needs a nixpkgs whose Go is as new as go.mod asks for. vendorHash changes with
# go.sum: make nix-hash.
{
  description = "Full-screen browser for the conversations of Hermes Agent";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEach (pkgs: rec {
        default = hermes-sessions;
        hermes-sessions = pkgs.buildGoModule {
          pname = "hermes-sessions";
          version = self.shortRev or "dev";
          src = self;
          vendorHash = "sha256-8BYVQAfkUypvIIR4shvxDJ6BhwjA3kfpfhDT+0NUUNE=";
          subPackages = [ "." ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" "-X hermes-sessions/internal/buildinfo.commit=${self.rev or ""}" ];
          doCheck = false; # .ci/run has the tests
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            for shell in bash zsh fish; do
              $out/bin/hermes-sessions completion $shell >completion.$shell
              installShellCompletion --cmd hermes-sessions --$shell completion.$shell
            done
            date=${self.lastModifiedDate or ""}
            go run ./internal/manpages -date "''${date:0:4}-''${date:4:2}-''${date:6:2}" man
            installManPage man/*.1
          '';
          meta = {
            description = "Full-screen browser for the conversations of Hermes Agent";
            license = pkgs.lib.licenses.mit;
            mainProgram = "hermes-sessions";
          };
        };
      });
    };
}
