import type { Database } from '../database/database.ts'
import type { Chat } from '../loop/chat-prompt.ts'
import { noCuts, type Cuts } from '../loop/fit.ts'
import { recordedSteps } from '../loop/recorded-steps.ts'
import { shownStep } from '../loop/shown-step.ts'
import type { ShownStep } from '../loop/transcript-step.ts'
import { isFinal } from '../tools/tool-call.ts'
import { treeOf } from './accept.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'
import { Step } from '../loop/step.ts'
import { bytesOfSubjects } from '../loop/subject-bytes.ts'
import { pathTo } from './place.ts'

/** How many exchanges are read: more do not fit into any window. */
const maxExchanges = 200
/** How much of earlier answers is read, in bytes: a session of some megabytes must not take as much of the process. */
const maxBytes = 16 * 1024 * 1024

/** Reads what the model is shown for the next step of an answer: the path to its message, and what it has done. */
export async function readConversation(database: Database, answer: ChatAnswer, summarizes: boolean): Promise<Chat> {
  const whole = pathTo(await treeOf(database, answer.sessionId), answer.messageId)
  const last = whole.slice(-maxExchanges)
  const { shortenedThrough, leftOutThrough, bytesPerToken } = await earlierPrompts(database, answer, last)
  const path = await recent(database, whole.slice(Math.max(leftOutThrough, whole.length - maxExchanges)))
  const answerTo = new Map(path.map(({ messageId, answerId }) => [messageId, answerId]))
  if (answer.steps > 0) answerTo.set(answer.messageId, answer.id)
  const [words, steps, summary] = await Promise.all([
    wordsOf(
      database,
      path.map(({ messageId }) => messageId),
    ),
    stepsOf(
      database,
      [...answerTo.values()].filter((id) => id !== undefined),
    ),
    leftOutThrough > 0 ? summaryOn(database, answer, last) : undefined,
  ])
  const before = whole.length - path.length
  const exchanges = path.map(({ messageId }, index) => ({
    number: before + index + 1,
    words: words.get(messageId) ?? '',
    steps: steps.get(answerTo.get(messageId) ?? '') ?? [],
  }))
  return { exchanges, shortenedThrough, summary, summarizes, bytesPerToken: bytesPerToken ?? undefined }
}

const answersOn = ({ id }: ChatAnswer, path: Path): string[] => [id, ...path.flatMap(({ answerId }) => answerId ?? [])]

/**
 * How far the prompts of earlier steps on the path were cut: later ones begin alike, so that providers can cache them. And
 * what the model's provider has counted last; another model has other tokens.
 */
async function earlierPrompts(database: Database, answer: ChatAnswer, path: Path): Promise<Cuts & Measured> {
  const ids = answersOn(answer, path)
  const { rows } = await database.raw<{ rows: (Cuts & Measured)[] }>(promptsStatement, { ids, model: answer.model })
  return rows[0] ?? { ...noCuts, bytesPerToken: null }
}

interface Measured {
  bytesPerToken: number | null
}

const promptsStatement = `
  select coalesce(max(shortened_through), 0) as "shortenedThrough", coalesce(max(left_out_through), 0) as "leftOutThrough",
         (array_agg(bytes_per_token order by recorded_at desc)
            filter (where bytes_per_token is not null and model = :model))[1] as "bytesPerToken"
    from steps where subject_id = any(:ids::uuid[])`

/** The newest summary on the path. A model that was asked for one may have answered nothing. */
async function summaryOn(database: Database, answer: ChatAnswer, path: Path): Promise<string | undefined> {
  const summaries = Step.query(database)
    .whereIn('subjectId', answersOn(answer, path))
    .where({ outcome: 'summary' })
    .where('answer', '<>', '')
  return (await summaries.orderBy('leftOutThrough', 'desc').select('answer').first())?.answer
}

/** The last of the exchanges whose answers are not too much together; at least the last one. */
async function recent(database: Database, path: Path): Promise<Path> {
  const ids = path.flatMap(({ answerId }) => answerId ?? [])
  if (ids.length === 0) return path
  const bytesOf = await bytesOfSubjects(database, ids)
  let total = 0
  const past = path.findLastIndex(({ answerId = '' }) => (total += bytesOf.get(answerId) ?? 0) > maxBytes)
  return path.slice(Math.min(past + 1, path.length - 1))
}

type Path = ReturnType<typeof pathTo>

async function wordsOf(database: Database, ids: string[]): Promise<Map<string, string>> {
  const found = await ChatMessage.query(database).whereIn('id', ids).select('id', 'text')
  return new Map(found.map(({ id, text }) => [id, text]))
}

/** The steps of answers, by their ids. A call that has no outcome yet is left out with its step: nobody may see it. */
async function stepsOf(database: Database, answerIds: string[]): Promise<Map<string, ShownStep[]>> {
  if (answerIds.length === 0) return new Map()
  const recorded = await recordedSteps(database, answerIds)
  const whole = recorded.filter(({ calls }) => calls.every(({ status }) => isFinal(status)))
  const grouped = Map.groupBy(whole, ({ step }) => step.subjectId)
  return new Map([...grouped].map(([id, rows]) => [id, rows.map(({ step, calls }) => shownStep(step, calls, 0))]))
}
