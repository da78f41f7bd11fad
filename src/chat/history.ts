import { pendingOfAnswers } from '../approvals/approval.ts'
import type { Database } from '../database/database.ts'
import { fittingCount } from '../database/page-bytes.ts'
import { errorBody } from '../errors.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { treeOf } from './accept.ts'
import { ChatAnswer, type AnswerStatus } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'
import { Step } from '../loop/step.ts'
import { bytesOfSubjects } from '../loop/subject-bytes.ts'
import { isTold } from './told-steps.ts'
import { errorOf, metadataOf } from './part-writer.ts'
import { approvalPart, valueOf, type ErrorData, type Metadata } from './parts.ts'
import { pathTo } from './place.ts'

/** A message as clients show it: in the form of the AI SDK's `UIMessage`, with what the platform knows of it. */
export interface ShownMessage {
  id: string
  number: number
  role: 'user' | 'assistant'
  parentId: string | null
  parts: object[]
  createdAt: Date
  /** Of answers. */
  status?: AnswerStatus
  metadata?: Metadata
  error?: ErrorData
}

/** Which messages: those that lead to the last one, or those of every branch. */
export type Branch = 'current' | 'all'

/** Reads what was said in a session, oldest first. */
export function createHistory({ database }: { database: Database }) {
  async function partsOf(answers: ChatAnswer[]): Promise<Map<string, object[]>> {
    const ids = answers.map(({ id }) => id)
    const [steps, calls, approvals] = await Promise.all([
      Step.query(database).whereIn('subjectId', ids).orderBy(['subjectId', 'step']),
      ToolCall.query(database).whereIn('subjectId', ids).orderBy(['subjectId', 'step', 'position']),
      pendingOfAnswers(database, ids),
    ])
    const parts = new Map<string, object[]>(ids.map((id) => [id, []]))
    for (const { subjectId, step, answer } of steps.filter(isTold)) {
      const own = calls.filter((call) => call.subjectId === subjectId && call.step === step)
      const text = answer === '' ? [] : [{ type: 'text', text: answer, state: 'done' }]
      const shown = [...text, ...own.map(toolPart)]
      if (shown.length > 0) parts.get(subjectId)?.push({ type: 'step-start' }, ...shown)
    }
    for (const approval of approvals) parts.get(approval.answerId ?? '')?.push(approvalPart(approval))
    return parts
  }

  /** By our ids of these messages, and of those that they follow or answer: the ids under which messages are shown. */
  async function namesOf(users: ChatMessage[], answers: ChatAnswer[]): Promise<Names> {
    const parents = users.flatMap(({ parentId }) => parentId ?? [])
    const ids = [...users.map(({ id }) => id), ...parents, ...answers.map(({ messageId }) => messageId)]
    const { rows } = await database.raw<{ rows: { id: string; shown: string }[] }>(namesStatement, { ids })
    return new Map(rows.map(({ id, shown }) => [id, shown]))
  }

  /** The ids of the first messages and answers after a number that lead to the last one. */
  const idsOn = async (sessionId: string, { after, most }: { after: number; most: number }): Promise<string[]> => {
    const tree = await treeOf(database, sessionId)
    const all = [...tree.messages, ...tree.answers].toSorted((one, other) => one.number - other.number)
    const last = all.at(-1)
    if (!last) return []
    const answer = tree.answers.findLast(({ id }) => id === last.id)
    const path = pathTo(tree, answer?.messageId ?? last.id)
    const ids = new Set([...path.flatMap(({ messageId, answerId }) => [messageId, answerId ?? '']), last.id])
    const shown = all.filter(({ id, number }) => number > after && ids.has(id))
    return shown.slice(0, most).map(({ id }) => id)
  }

  return {
    /**
     * Up to `limit` messages and answers with a number above `after`, fewer if they are long, and whether there are more.
     */
    async list(
      sessionId: string,
      { after, limit, branch }: { after: number; limit: number; branch: Branch },
    ): Promise<{ items: ShownMessage[]; more: boolean }> {
      const ids = branch === 'current' ? await idsOn(sessionId, { after, most: limit + 1 }) : null
      const bindings = { sessionId, after, ids, most: limit + 1 }
      const { rows } = await database.raw<{ rows: Next[] }>(nextStatement, bindings)
      const answered = rows.flatMap(({ answerId }) => answerId ?? [])
      const bytesOf = await bytesOfSubjects(database, answered)
      const sizes = rows.map(({ answerId, bytes }) => (answerId === null ? bytes : (bytesOf.get(answerId) ?? 0)))
      const count = Math.min(limit, fittingCount(sizes))
      const numbers = rows.slice(0, count).map(({ number }) => number)
      const [users, answers] = await Promise.all([
        ChatMessage.query(database).where({ sessionId }).whereIn('number', numbers),
        ChatAnswer.query(database).where({ sessionId }).whereIn('number', numbers),
      ])
      const [parts, shownAs] = await Promise.all([partsOf(answers), namesOf(users, answers)])
      const items = [
        ...users.map((message) => userMessage(message, shownAs)),
        ...answers.map((answer) => assistantMessage(answer, parts.get(answer.id) ?? [], shownAs)),
      ]
      return { items: items.toSorted((one, other) => one.number - other.number), more: rows.length > count }
    },

    /** One answer as clients show it. */
    async answer(id: string): Promise<ShownMessage> {
      const answer = await ChatAnswer.query(database).findOne({ id }).throwIfNotFound()
      return assistantMessage(answer, (await partsOf([answer])).get(id) ?? [], await namesOf([], [answer]))
    },
  }
}

/** A message with its bytes, or an answer. */
interface Next {
  number: number
  bytes: number
  answerId: string | null
}

const nextStatement = `
  (select number, octet_length(text)::float8 as bytes, null::uuid as "answerId" from chat_messages
    where session_id = :sessionId and number > :after and (:ids::uuid[] is null or id = any(:ids::uuid[]))
    order by number limit :most)
  union all
  (select number, 0, id from chat_answers
    where session_id = :sessionId and number > :after and (:ids::uuid[] is null or id = any(:ids::uuid[]))
    order by number limit :most)
  order by number limit :most`

type Names = ReadonlyMap<string, string>

/** The id that the client gave, unless a later message has it: of two messages in a list, ids differ. */
const namesStatement = `
  select m.id, case when m.client_id is null
                      or exists (select from chat_messages l
                                  where l.session_id = m.session_id and l.client_id = m.client_id and l.number > m.number)
                    then m.id::text else m.client_id end as shown
    from chat_messages m where m.id = any(:ids::uuid[])`

const userMessage = ({ id, number, parentId, text, createdAt }: ChatMessage, names: Names): ShownMessage => ({
  id: names.get(id) ?? id,
  number,
  role: 'user',
  // Answers have one id.
  parentId: parentId && (names.get(parentId) ?? parentId),
  parts: [{ type: 'text', text }],
  createdAt,
})

function assistantMessage(answer: ChatAnswer, parts: object[], names: Names): ShownMessage {
  const { id, number, messageId, status, createdAt } = answer
  const parentId = names.get(messageId) ?? messageId
  const base = { id, number, role: 'assistant' as const, parentId, parts, createdAt, status }
  if (status !== 'failed') return { ...base, metadata: metadataOf(answer) }
  const { error, code, statusCode } = errorBody(errorOf(answer))
  return { ...base, metadata: metadataOf(answer), error: { error, code, statusCode } }
}

function toolPart({ id: toolCallId, name, tool, arguments: args, status, result }: ToolCall) {
  const base = { type: 'dynamic-tool', toolName: tool ?? name, toolCallId, input: valueOf(args) }
  if (status === 'planned' || status === 'started') return { ...base, state: 'input-available' }
  if (status === 'succeeded') return { ...base, state: 'output-available', output: valueOf(result ?? '') }
  return { ...base, state: 'output-error', errorText: result ?? 'The call failed.' }
}
