import test from 'ava'
import { CodedError } from '../../../../src/errors.ts'
import type { AcceptRequest, Receipt } from '../../../../src/runs/accept/receipt.ts'
import { createRepeats } from '../../../../src/runs/accept/repeated-requests.ts'

const request: AcceptRequest = { agentId: 'agent', trigger: 'webhook', requestId: 'request', idempotencyKey: 'key' }
const receipt: Receipt = { runId: 'run', status: 'queued', sequence: 1, ahead: 0 }

/** Repeats, and how often an earlier request was looked for. */
function repeatsWith(earlier: Receipt | undefined) {
  const lookups: AcceptRequest[] = []
  const known = async (asked: AcceptRequest) => {
    lookups.push(asked)
    return earlier
  }
  return { lookups, repeats: createRepeats({ known }) }
}

test('a request that is refused gets the receipt of the one that was accepted under its key before', async (t) => {
  const { repeats } = repeatsWith(receipt)
  t.is(await repeats.earlierReceipt(request, new CodedError('NO_CREDITS')), receipt)
})

test('a request that is refused, and was not accepted before, is told why', async (t) => {
  const refusal = new CodedError('NO_CREDITS')
  await t.throwsAsync(repeatsWith(undefined).repeats.earlierReceipt(request, refusal), { is: refusal })
})

test('no earlier request is looked for where none can be, or where nothing refused it', async (t) => {
  const { lookups, repeats } = repeatsWith(receipt)
  const refusal = new CodedError('NO_CREDITS')
  await t.throwsAsync(repeats.earlierReceipt({ ...request, idempotencyKey: undefined }, refusal), { is: refusal })
  const failure = new Error('connect ECONNREFUSED')
  await t.throwsAsync(repeats.earlierReceipt(request, failure), { is: failure })
  t.is(lookups.length, 0)
})
