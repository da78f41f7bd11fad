import { ProtocolError } from '@modelcontextprotocol/client'
import type * as inThread from '../../../../in-thread.ts'
import { inlineCharacters } from '../../../../threads/inline-characters.ts'
import { orElse, type Threads } from '../../../../threads/threads.ts'
import type { CallOutcome } from '../../../../tools/call-outcome.ts'
import type { CallSite, SiteCall } from '../../../../tools/call-site.ts'
import type { Attempt } from '../attempt.ts'
import type { createCallErrors } from '../call-errors.ts'
import { answeredKeys, answeringParams, readInputRequired } from '../input-required.ts'
import { noAnswer } from '../session-transport.ts'
import type { Session } from '../session.ts'
import { readTask, type TaskSaid } from './task.ts'
import { taskIn, ticketOf } from './ticket.ts'

/** Who is asked about a task, by which attempt. */
interface Asked {
  call: SiteCall
  session: Session
  attempt: Attempt
}

/** The tasks of servers: calls that they work on after their response. */
export function createFollowTask(context: {
  callSite: CallSite
  threads: Pick<Threads<typeof inThread>, 'run'>
  errors: ReturnType<typeof createCallErrors>
  /** What a result of a tool means. */
  ofResult: (call: SiteCall, text: string, httpStatus: number) => Promise<CallOutcome>
}) {
  const { callSite, threads, errors, ofResult } = context

  const read = async (text: string, party: string): Promise<TaskSaid> =>
    text.length <= inlineCharacters
      ? readTask({ text })
      : threads.run(party, 'readTask', { text }).catch(orElse({ words: '', taskId: '', status: 'unreadable' as const }))

  const about = async ({ call, session }: Asked, method: 'get' | 'result' | 'update' | 'cancel', more: object = {}) => {
    const { taskId } = taskIn(call)
    const request = { method: `tasks/${method}`, params: { taskId, ...more, ...session.ofTasks } } as const
    return (await session.request(request, { signal: call.signal })).text
  }

  const stillWorks = ({ call, attempt }: Asked, { words, askAfter }: TaskSaid): Promise<CallOutcome> =>
    callSite.ofJob(call, attempt.status ?? 200, { job: call.job ?? '', words, askAfter })

  /** The server may show a request for a while after it has got the answer, and ignores a second one. */
  async function ofInput(asked: Asked, said: Extract<TaskSaid, { status: 'input_required' }>): Promise<CallOutcome> {
    const { call, session } = asked
    const { taskId = '' } = taskIn(call)
    const { requests } = said
    const keys = call.answer ? answeredKeys(call.answer, taskId) : []
    const isAnswered = requests !== undefined && keys.some((key) => Object.hasOwn(requests, key))
    if (call.answer && isAnswered) await about(asked, 'update', answeringParams(call.answer))
    // Before 2026, a server asks in another way.
    const asksNothing = session.tasks === 'offered' && requests !== undefined && Object.keys(requests).length === 0
    return isAnswered || asksNothing ? stillWorks(asked, said) : ofQuestion(asked, requests, taskId)
  }

  async function ofQuestion(asked: Asked, requests: unknown, taskId: string): Promise<CallOutcome> {
    const { call, attempt, session } = asked
    const httpStatus = attempt.status ?? 200
    const mayAsk = call.mayAsk && session.mayAsk
    const read = mayAsk ? readInputRequired({ inputRequests: requests }, taskId) : { refusal: nobodyToAsk }
    if ('form' in read) return callSite.ofQuestion(call, httpStatus, read)
    await about(asked, 'cancel').catch(() => undefined)
    return { kind: 'rejected', httpStatus, certain: false, text: read.refusal }
  }

  /** A task fails with the error that would have been the response of its call. */
  async function ofFailure({ call, attempt }: Asked, { error, words }: Extract<TaskSaid, { status: 'failed' }>) {
    const { code = internalError, message = words } = error ?? {}
    const outcome = await errors.ofError(call, new ProtocolError(code, message), { ...attempt, hasSpoken: false })
    return outcome.kind === 'broken' ? over(outcome) : outcome
  }

  /** Before 2026, the result, or the error with which the task has failed, is requested by itself. */
  async function ofRequestedResult(asked: Asked, said: Extract<TaskSaid, { status: 'completed' | 'failed' }>) {
    try {
      return await ofResult(asked.call, await about(asked, 'result'), asked.attempt.status ?? 200)
    } catch (error) {
      if (said.status !== 'failed' || !(error instanceof ProtocolError) || error.data === noAnswer) throw error
      return ofFailure(asked, { ...said, error })
    }
  }

  async function ofSaid(asked: Asked, said: TaskSaid): Promise<CallOutcome> {
    const { call, attempt } = asked
    const httpStatus = attempt.status ?? 200
    if (said.status === 'working') return stillWorks(asked, said)
    if (said.status === 'input_required') return ofInput(asked, said)
    if (said.status === 'unreadable') return { kind: 'broken', httpStatus, certain: false, text: unreadable }
    if (said.status === 'cancelled') {
      const failure = { httpStatus, sentence: cancelled, words: said.words }
      return over(await callSite.ofFailure(call, 'broken', failure))
    }
    if (asked.session.tasks === 'requested') return ofRequestedResult(asked, said)
    return said.status === 'failed' ? ofFailure(asked, said) : ofResult(call, said.result ?? '{}', httpStatus)
  }

  return {
    /** The outcome of a call that the server has made a task. */
    async created({ call, session }: Omit<Asked, 'attempt'>, text: string, httpStatus: number): Promise<CallOutcome> {
      const said = await read(text, call.ownerId)
      // Whatever its state is by now, a request about it says the rest.
      const { words, askAfter, taskId } = said
      if (taskId === '') return over({ ...lost, text: nameless, httpStatus })
      return callSite.ofJob(call, httpStatus, { job: ticketOf({ taskId, sessionId: session.keep() }), words, askAfter })
    },

    /** What has become of the task. Throws errors of the library and of the safe fetch. */
    async follow(asked: Asked): Promise<CallOutcome> {
      return ofSaid(asked, await read(await about(asked, 'get'), asked.call.ownerId))
    },

    /** What a failed request about a task means. Only one that says that there is no such task says anything. */
    async ofError({ call, attempt }: Asked, error: unknown): Promise<CallOutcome> {
      const isUnknown = error instanceof ProtocolError && error.data !== noAnswer && unknownTask.has(error.code)
      if (isUnknown) return over({ ...lost, httpStatus: attempt.status ?? 200 })
      const outcome = await errors.ofError(call, error, attempt)
      return outcome.kind === 'rejected' || outcome.kind === 'unread'
        ? { ...lost, text: unreadable, httpStatus: outcome.httpStatus }
        : outcome
    },

    /** Tells the server that nobody waits for the task. */
    abandon: async (asked: Asked): Promise<void> => void (await about(asked, 'cancel')),
  }
}

const internalError = -32_603

/** The errors of a request about a task that the server does not know, or for which it does not know the method. */
const unknownTask = new Set([-32_602, -32_601, -32_600, -32_002])

type Broken = Extract<CallOutcome, { kind: 'broken' }>

const over = (outcome: CallOutcome): CallOutcome => ({ ...(outcome as Broken), isJobOver: true })

const lost: Broken = {
  kind: 'broken',
  httpStatus: null,
  certain: false,
  text: 'The site no longer knows the call that it worked on. It may have restarted, or kept the result for a short time only.',
}
const nameless = 'The site works on the call, and did not say how to ask about it.'
const cancelled = 'The site cancelled the call that it worked on.'
const unreadable = "The site's response does not say what has become of the call."
const nobodyToAsk = 'The tool asks for input, and nobody can be asked.'
