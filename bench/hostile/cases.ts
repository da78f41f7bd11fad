import { hostileManifests, hostileObjects } from '../../test/helpers/hostile-json.ts'
import type { openAttacker } from './attacker.ts'
import { largestBodies, type Place } from './bodies.ts'
import { connections } from './connections.ts'
import { heads } from './heads.ts'
import { sendBytes } from './raw.ts'
import { things } from './largest-objects.ts'

/** Cases of one kind. The table shows the worst. */
export interface Group {
  name: string
  cases: { what: string; run: () => Promise<unknown> }[]
}

type Attacker = Awaited<ReturnType<typeof openAttacker>>

const mebibyte = 1024 * 1024

export const groupOf = (name: string, cases: Record<string, () => Promise<unknown>>): Group => ({
  name,
  cases: Object.entries(cases).map(([what, run]) => ({ what, run })),
})

const givenTo = (name: string, texts: Record<string, string>, work: (text: string, what: string) => Promise<unknown>) =>
  groupOf(name, Object.fromEntries(Object.entries(texts).map(([what, text]) => [what, () => work(text, what)])))

/** The largest untrusted input that the platform reads, checks and uses. */
export function carriedOut(attacker: Attacker, origin: string): Group[] {
  const later = hostileManifests(`${origin}/api`, 1)
  return [
    groupOf('chats', attacker.chats),
    givenTo('payloads that are carried out', hostileObjects(mebibyte), attacker.deliverPayload),
    givenTo('results of tools', hostileObjects(mebibyte), (text) => attacker.answerCalls(text)),
    givenTo('arguments of tools', hostileObjects(256 * 1024 - 1), (text) => attacker.giveArguments(text)),
    givenTo('manifests', hostileManifests(`${origin}/api`), (text, what) =>
      attacker.publishManifest(text, later[what] ?? ''),
    ),
  ]
}

/** Requests that are read before the sender is known, connections, and the largest objects. */
export function requests(place: Place, token: string): Group[] {
  const { url } = place
  return [
    ...Object.entries(heads(token)).map(([name, each]) => givenTo(name, each, (text) => sendBytes(url, text))),
    groupOf('connections', connections(url, token)),
    groupOf('things', things(place)),
  ]
}

export const bodies = async (place: Place): Promise<Group[]> =>
  Object.entries(await largestBodies(place)).map(([name, cases]) => groupOf(name, cases))
