import { quotedWords } from '../names.ts'
import type { Job } from '../tools/job.ts'
import { advise, request } from './actions.ts'
import { causeOf, utcTime, type Cause } from './cause.ts'
import { siteOf } from './current-work.ts'
import type { HeadRun, OpenCall } from './facts.ts'

/** One cause for each call that its site works on. */
export const workingSites = (head: HeadRun): Cause[] =>
  head.calls.flatMap((call) => (call.waitCause === 'job' && call.job ? [workingSite(head, call, call.job)] : []))

function workingSite({ run }: HeadRun, call: OpenCall, { acceptedAt, words, until }: Job): Cause {
  const since = new Date(acceptedAt)
  const last = new Date(until)
  const said = words === '' ? '' : ` The site says: ${quotedWords(words)}.`
  const message = `Run ${run.sequence} has been waiting since ${utcTime(since)} for ${siteOf(call)} to finish its call to ${call.tool ?? call.name}.${said} At ${utcTime(last)}, it will continue without the result.`
  return causeOf({
    code: 'JOB',
    runId: run.id,
    sequence: run.sequence,
    since,
    until: last,
    step: call.step,
    site: call.siteOrigin,
    message,
    action: advise`You do not need to do anything. The run asks the site again and again, and continues when the call is finished. To end it instead, use ${request('cancel', run.id)}.`,
  })
}
