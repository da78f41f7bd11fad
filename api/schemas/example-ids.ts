import * as v from 'valibot'
import { field } from './documented.ts'

/** The ids in examples. An example object has the same id everywhere. */
export const exampleIds = {
  user: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a01',
  workspace: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02',
  invitation: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a03',
  agent: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10',
  apiKey: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a11',
  call: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12',
  entry: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13',
  flow: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a14',
  paymentMethod: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a15',
  run: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a16',
  session: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a17',
  approval: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a18',
  request: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a19',
  answer: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a20',
  login: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a21',
  notification: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a22',
  identity: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a23',
  ledgerEntry: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a24',
  callback: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a25',
  document: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a26',
  app: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a27',
  grant: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a30',
} as const

/** The id of a resource of this kind, in a response. */
export const idOf = (kind: keyof typeof exampleIds, description = 'UUID (version 7)') =>
  field(v.string(), description, exampleIds[kind])
