// Package hermes knows how Hermes Agent is installed and started: where its home
// and its database are, which command resumes a session, and how to run it.
//
//	location.go  which database: --db, --home, --profile, HERMES_HOME, the active profile
//	command.go   the command line that resumes a session, as words and for a shell
//	launch.go    the program on the disk, the folder and the environment to start it in
//	exec_*.go    running it in place of this process, or as its child
//	plugin.go    the plugin for Hermes that adds hermes browse, from the folder plugin
//	shellfunction.go    the shell functions called hermes that open this browser
package hermes
