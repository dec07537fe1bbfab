// Package model holds the types of the program and the pure rules over them. It
// does no I/O. Text in its values is as stored in the database; a caller that
// prints it to a terminal cleans it first.
//
// # Vocabulary
//
// The words below have one meaning in the whole repository.
//
//   - Session: one row of the sessions table, with its messages ([Session]).
//   - Conversation: what a user sees as one conversation. It is one session, or
//     several that context compression joined end to end ([Conversation]).
//   - Segment: one session of a conversation. Hermes ends a segment when the
//     context is full and continues in the next one with a summary.
//   - Root: the first segment of a conversation. "Root of a lineage" is the
//     session at the top of the tree.
//   - Tip: the newest segment. Resume, rename and the list show and change the
//     tip.
//   - Branch: a conversation that was forked from another one, by the user or
//     by a reset ([LinkBranch]).
//   - Delegate: a session that an agent started for a subtask. The screens and
//     the documentation call it a subagent ([LinkDelegate]).
//   - Lineage: how sessions are related: segments, branches and delegates
//     under one root ([Lineage]; as a tree of [Node]).
//   - Message: one row of the messages table, decoded ([Message]). It is
//     visible unless the user rewound it, compaction archived it, or Hermes
//     marked it as hidden.
//   - Turn: a prompt, which is a message of the user, and everything the agent
//     does in response.
//   - Tool call: a request of the agent to run a tool, with its arguments; the
//     answer is a message of its own, the tool result ([ToolCall],
//     [PairTools]).
//   - Tool run: the tool calls and results between two messages that say
//     something ([ToolPairing], [GroupCalls]).
//   - Reasoning: what the model wrote for itself before it answered, stored
//     beside the text of a message ([DecodeReasoning]).
//   - Replay: a copy of an earlier message at the beginning of a segment, made
//     by compression. It is shown once ([FindReplays]).
//   - Hit: a message that matches a query, or a title, id or source that does
//     ([Hit]).
//   - Preview: the first message of the user, shortened to one line
//     ([Preview]). It takes the place of a missing title.
//   - Scope: the part of the history that the list shows: conversations,
//     automation, subagents, archived, or all ([Scope]).
//   - Source: where a conversation came from: cli, telegram, cron, …
//   - Ghost: a session that was opened and closed without a message
//     ([CleanupGhost]).
//
// # Where to find things
//
// session.go, conversation.go, message.go and outline.go have the types that
// come out of the database; lineage.go decides what ties sessions together, and
// tree.go draws the result as rows. deletion.go, prune.go and cleanup.go decide
// what is deleted with what. decode.go reads the columns that hold
// JSON. title.go has Hermes's rules for titles. A citation of
// store/README.md is the source of a fact about Hermes's file.
package model
