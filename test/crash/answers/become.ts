import { newId } from '../../../src/ids.ts'
import { historyOf, send, type TestSession } from '../../chat/stage.ts'
import { decide } from '../../helpers/approvals.ts'
import { eventually } from '../../helpers/eventually.ts'
import type { Begun } from './begin.ts'
import { messageOf, type Asked } from './model.ts'
import { read, readAgain, verdictOn, type Reading } from './readers.ts'
import type { Scene } from './scene.ts'
import type { Arrived } from './site.ts'
import type { Ending } from './table.ts'

/** What was seen of an answer, as the table says it, and how the next answer of its session has ended. */
export type Seen = Record<keyof Ending | 'next', unknown>

interface Shown {
  id: string
  status?: string
  error?: { code: string }
  metadata?: { credits: number }
  parts: { type: string; state?: string; toolCallId?: string }[]
}

/** Its reader comes back to the process that came after. */
export async function comeBack(begun: Begun, url: string): Promise<Reading> {
  if (begun.phase === 'while an approval waits') await approve(begun, url)
  return readAgain({ ...begun.session, url })
}

/** Waits until the answer has ended at the process that came after, and tells what everybody has seen of it. */
export async function whatBecameOf(scene: Scene, begun: Begun, url: string, reader?: Reading): Promise<Seen> {
  const { kind, phase, name } = begun
  const session = { ...begun.session, url }
  const reading = reader ?? (await comeBack(begun, url))
  const answer = await eventually(90, `${phase} (${kind}): the answer has ended`, () => endedIn(session, begun))
  const [calls, asked] = [scene.site.callsOf(name), scene.model.askedFor(name)]
  const steps = await stepsOf(scene, begun, answer)
  return {
    status: answer.status,
    error: answer.error?.code ?? null,
    steps,
    words: wordsOf(answer, steps),
    asked: [1, 2].map((step) => asked.filter((one) => one.step === step).length),
    call: callOf(answer, calls, asked),
    reader: verdictOn(await reading.parts, answer),
    next: await nextAnswer(session),
  }
}

/** Somebody takes it up, which may take a moment: until then its session has nothing to read. */
async function approve({ someone, session, answerId, approvalId }: Begun, url: string): Promise<void> {
  await decide({ ...someone, url }, approvalId, 'approve').then(({ body }) => body)
  await eventually(20, 'the answer goes on', async () => {
    const { items } = await historyOf({ ...session, url })
    return items.find(({ id }) => id === answerId)?.status !== 'waiting' || undefined
  })
}

async function endedIn(session: TestSession, { answerId }: Begun): Promise<Shown | undefined> {
  const { items } = (await historyOf(session)) as { items: Shown[] }
  return items.find(({ id, status = '' }) => id === answerId && ['completed', 'failed', 'stopped'].includes(status))
}

/** How many steps are on record, if as many were charged and the answer says so. A step costs one credit here. */
async function stepsOf({ database }: Scene, { answerId }: Begun, { metadata }: Shown): Promise<number | string> {
  const count = async (table: string, key: object) => (await database(table).where(key).select('step')).length
  const [steps, charges] = [await count('steps', { subjectId: answerId }), await count('ledger_entries', { answerId })]
  const said = metadata?.credits
  return steps === charges && steps === said ? steps : `${steps} steps, ${charges} charges, said to be ${said}`
}

/** How many of the steps the history has words of. */
function wordsOf({ parts }: Shown, steps: number | string): string {
  const texts = parts.filter(({ type }) => type === 'text').length
  return texts === 0 ? 'none' : texts === steps ? 'all' : `of ${texts} steps`
}

/** What has become of the call, if the keys that the site has seen are all its own. */
function callOf({ parts }: Shown, calls: Arrived[], asked: Asked[]) {
  const shown = parts.filter(({ type }) => type === 'dynamic-tool')
  const [call] = shown
  if (!call && calls.length === 0) return null
  const strange = calls.filter(({ key }) => key !== `chat:${call?.toolCallId}`)
  if (shown.length !== 1 || strange.length > 0) return { shown, calls }
  const told = asked.findLast(({ step }) => step === 2)?.text
  return { sent: calls.length, shown: call?.state, told: told === undefined ? null : outcomeIn(told) }
}

const outcomeIn = (text: string): string =>
  text.includes('It is unknown whether this call took effect')
    ? 'unknown'
    : text.includes('The call succeeded')
      ? 'succeeded'
      : 'failed'

/** The chat goes on: says how the answer to another message has ended. */
async function nextAnswer(session: TestSession): Promise<string | undefined> {
  await read(send(session, { text: messageOf(newId()), stream: true })).ended
  return (await historyOf(session)).items.at(-1)?.status
}
