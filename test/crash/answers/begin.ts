import * as vault from '../../../api/vault.ts'
import { newId } from '../../../src/ids.ts'
import { historyOf, openSession, send, type TestSession } from '../../chat/stage.ts'
import { decide } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { customer, type Person } from '../../helpers/people.ts'
import { messageOf, type Stop } from './model.ts'
import { read, type Reader } from './readers.ts'
import type { Scene } from './scene.ts'
import { effectIn, type Phase, type Row } from './table.ts'
import { holdWrite, type Write } from './writes.ts'

/** An answer that is where its row says. */
export interface Begun extends Row {
  /** What the model and the site know it by. */
  name: string
  someone: Person
  session: TestSession
  answerId: string
  /** What somebody has to approve. */
  approvalId: string
  /** Lets go on what was held, with nobody there any more. */
  release: () => Promise<void>
}

/** An answer on its way to where its row says. */
interface Way {
  scene: Scene
  begun: Omit<Begun, 'release'>
  reader: Reader
  model: ReturnType<Scene['model']['expect']>
}

const beforeFirst: Stop = { step: 1, after: 'nothing' }
const beforeLast: Stop = { step: 2, after: 'nothing' }

const stops: Partial<Record<Phase, Stop>> = {
  'before the first word': beforeFirst,
  'in mid-word': { step: 1, after: 'words' },
  'between steps': beforeLast,
  'in the write of the last step': beforeLast,
  'in the write of the end': beforeLast,
}

/** How to see that an answer is there, or to bring it there. Returns what else is to be released. */
const arrivals: Record<Phase, (way: Way) => Promise<(() => Promise<void>) | undefined | void>> = {
  'before its turn': ({ begun }) => untilShown(begun, 'queued'),
  'before the first word': ({ model }) => model.reached,
  'in mid-word': ({ reader }) =>
    eventually(30, 'the first words are read', () => reader.words() !== '' || undefined).then(() => undefined),
  'in a read call': isCalling,
  'in an idempotent call': isCalling,
  'in a once call': isCalling,
  'while an approval waits': waitsForApproval,
  async 'in an approved call'(way) {
    await waitsForApproval(way)
    await decide(way.begun.someone, way.begun.approvalId, 'approve').then(({ body }) => body)
    await isCalling(way)
  },
  'between steps': ({ model }) => model.reached,
  'in the write of the last step': (way) => isWriting(way, 'step'),
  'in the write of the end': (way) => isWriting(way, 'end'),
}

async function isCalling({ scene, begun }: Way): Promise<void> {
  await scene.site.called(begun.name)
}

async function waitsForApproval({ reader, begun }: Way): Promise<void> {
  await reader.ended
  begun.approvalId = String(reader.parts().find((part) => part.type === 'data-approval')?.id)
  await untilShown(begun, 'waiting')
}

async function isWriting({ scene, begun, model }: Way, write: Write): Promise<() => Promise<void>> {
  await model.reached
  const held = await holdWrite(scene.database, write, begun.answerId)
  model.release()
  await held.waiting()
  return held.release
}

const untilShown = ({ session }: Pick<Begun, 'session'>, status: string) =>
  eventually(30, `the answer is ${status}`, async () => {
    const last = (await historyOf(session)).items.at(-1)
    return last?.status === status || undefined
  }).then(() => undefined)

/** A session at this process whose calls go to the site; those that somebody has to approve ask first. */
async function openFor({ platform, site }: Scene, url: string, { kind, phase }: Row) {
  const someone = { ...(await customer(platform)), url }
  const body = { url: site.origin, token: 'any-token' }
  const { id: vaultEntryId } = (await call(someone, vault.addToVault, { body })).body
  const tools = [effectIn(phase)]
  const asksFirst = phase === 'while an approval waits' || phase === 'in an approved call'
  const sites = [{ vaultEntryId, tools, askFirst: asksFirst ? tools : [] }]
  return { someone, session: await openSession(someone, { onDisconnect: kind, sites }) }
}

/** Begins an answer at the process at this URL, and waits until it is where its row says. */
export async function beginAnswer(scene: Scene, url: string, row: Row, stop = stops[row.phase]): Promise<Begun> {
  const name = newId()
  const { someone, session } = await openFor(scene, url, row)
  const before = row.phase === 'before its turn' ? await occupy(scene, session) : undefined
  const model = scene.model.expect(name, effectIn(row.phase), stop)
  if (row.phase.endsWith(' call')) scene.site.hold(name)
  const reader = read(send(session, { text: messageOf(name), stream: true }))
  const count = before ? 4 : 2
  const answerId = await eventually(
    30,
    'the answer is on record',
    async () => (await historyOf(session)).items[count - 1]?.id,
  )
  const begun = { ...row, name, someone, session, answerId, approvalId: '' }
  const rest = await arrivals[row.phase]({ scene, begun, reader, model })
  const release = async () => {
    before?.release()
    model.release()
    await rest?.()
  }
  return { ...begun, release }
}

/** Another answer of the session, which the model does not begin. */
async function occupy({ model }: Scene, session: TestSession) {
  const name = newId()
  const held = model.expect(name, 'once', beforeFirst)
  read(send(session, { text: messageOf(name), stream: true }))
  await held.reached
  return held
}
