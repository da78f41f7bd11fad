import type { Fault } from './fault.ts'

const forged = ['test/chat/forged-history.test.ts']
const conversation = ['test/chat/clients/conversation.test.ts']
const streams = ['test/chat/clients/streams.test.ts']
const branches = ['test/chat/clients/branches.test.ts']

/** What the published chat clients notice, and what they could claim. */
export const chatClients: Fault[] = [
  {
    id: 'chat-clients/system-believed',
    file: 'api/schemas/chat-request.ts',
    find: "messages.findLastIndex(({ role }) => role === 'user')",
    replace: "messages.findLastIndex(({ role }) => role !== 'assistant')",
    why: 'a page speaks to the model as if it were the system',
    tests: forged,
    match: '*messages of the system',
  },
  {
    id: 'chat-clients/every-text-believed',
    file: 'api/schemas/chat-request.ts',
    find: "return type === 'text' && typeof text === 'string' ? text : undefined",
    replace: "return type !== 'file' && typeof text === 'string' ? text : undefined",
    why: 'a page puts thoughts into a message that its user has not written',
    tests: forged,
    match: '*more than words in the last message',
  },
  {
    id: 'chat-clients/unknown-finish',
    file: 'src/chat/part-writer.ts',
    find: "status === 'waiting' ? 'tool-calls'",
    replace: "status === 'waiting' ? ('waiting' as Finish)",
    why: 'clients fail at a reason that they do not know, while somebody is asked to approve',
    tests: conversation,
    match: 'a client resumes an answer whose call was approved*',
  },
  {
    id: 'chat-clients/static-tools',
    file: 'src/chat/parts.ts',
    find: '    input: valueOf(call.arguments),\n    dynamic: true,\n',
    replace: '    input: valueOf(call.arguments),\n    dynamic: false as true,\n',
    why: 'pages have no component for tools that they do not know',
    tests: conversation,
    match: 'a client shows the tools*',
  },
  {
    id: 'chat-clients/late-stop',
    file: 'src/chat/chat.ts',
    find: 'const given = { sessionId, id: messageId }',
    replace: 'const given = { sessionId }',
    why: 'a stop that comes late ends the next answer',
    tests: streams,
    match: 'a stopped answer ends*',
  },
  {
    id: 'chat-clients/resumed-stream-unnamed',
    file: 'api/streams/chat-stream.ts',
    find: "'x-resumable-stream-id': resumeId",
    replace: "'x-stream-id': resumeId",
    why: 'pages with assistant-ui lose an answer under way when they are loaded again',
    tests: streams,
    match: 'the resumable transport*',
  },
  {
    id: 'chat-clients/answers-forgotten',
    file: 'src/chat/conversation.ts',
    find: 'path.map(({ messageId, answerId }) => [messageId, answerId])',
    replace: 'path.slice(1).map(({ messageId, answerId }) => [messageId, answerId])',
    why: 'a model does not know what it has said at the beginning',
    tests: conversation,
    match: 'a client holds a conversation*',
  },
  {
    id: 'chat-clients/approved-lost',
    file: 'src/chat/chat.ts',
    find: '(await underWay(session)) ?? (await takenUpLately(session))',
    replace: 'await underWay(session)',
    why: 'whoever approves a quick call never sees what came of it',
    tests: conversation,
    match: 'a client resumes an answer whose call was approved*',
  },
  {
    id: 'chat-clients/edit-appended',
    file: 'src/chat/place.ts',
    find: '  if (replaced) return replaced.parentId\n',
    replace: '  if (replaced) return replaced.id\n',
    why: 'the model sees an edited message, and the old one as well',
    tests: branches,
    match: 'an edited message*',
  },
]
