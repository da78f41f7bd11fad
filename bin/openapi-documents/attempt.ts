import { readFileSync } from 'node:fs'
import { readDocument } from '../../src/in-thread.ts'
import { send, type Json } from '../tour/client.ts'
import type { Mock } from './mock.ts'
import type { Published } from './published.ts'

/** What is read from a document. */
export interface Reading {
  kilobytes: number
  ms: number
  offered: number
  /** Sentences, each with the number of operations. */
  leftOut: string[]
  /** Why it is not usable. */
  problem?: string
}

/** Reads a document as the platform does, for another address of its server. */
export function readFile(file: string): Reading {
  const bytes = readFileSync(file)
  const began = performance.now()
  const address = 'https://localhost/openapi'
  const given = { address, server: 'https://localhost', bytes, referenced: {}, chosen: [], hasCredential: true }
  const read = readDocument(given)
  const measured = { kilobytes: Math.round(bytes.length / 1000), ms: Math.round(performance.now() - began) }
  if ('offered' in read) return { ...measured, offered: read.offered.total, leftOut: counted(read.leftOut) }
  return { ...measured, offered: 0, leftOut: [], problem: JSON.stringify(read) }
}

function counted(leftOut: readonly { problem: string }[]): string[] {
  const counts = new Map<string, number>()
  for (const { problem } of leftOut) counts.set(problem, (counts.get(problem) ?? 0) + 1)
  return [...counts].map(([problem, count]) => `${count}: ${problem}`)
}

/** Connects the document's mock through the public API, and calls one tool. Returns what the mock answered. */
export async function callOne(api: string, token: string, mock: Mock, { tool = '', given = {} }: Published) {
  const post = (path: string, body: Json): Promise<Json> => send({ method: 'POST', url: `${api}${path}`, token, body })
  const url = `${mock.documentUrl}#${mock.serverUrl}`
  const credential = 'user:a-secret-of-the-owner'
  const { id } = await post('/vault', { url, token: credential, tools: [tool] })
  await post(`/vault/${String(id)}/tools/${tool}/call`, given)
  const [answer = ''] = mock.answered
  if (!/ 2\d\d$/.test(answer)) throw new Error(`The mock answered: ${mock.answered.join(', ')}`)
  return answer
}
