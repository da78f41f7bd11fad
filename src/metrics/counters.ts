import { Counter, Histogram, type Registry } from 'prom-client'

/** In seconds. */
const buckets = {
  request: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  call: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  run: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400],
}

/**
 * The counters and histograms of a process. Each value of a label is a word of ours, or the name of a model or a
 * provider in the operator's settings, so nobody else can add series.
 */
export function createCounters(registry: Registry) {
  const counter = <const Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `switchyard_${name}`, help, labelNames, registers: [registry] })
  const histogram = <const Label extends string = never>(
    name: string,
    help: string,
    sizes: number[],
    labelNames: Label[] = [],
  ) => new Histogram({ name: `switchyard_${name}`, help, buckets: sizes, labelNames, registers: [registry] })

  return {
    deliveries: counter(
      'deliveries_total',
      'Webhook deliveries, by result: accepted, repeated, test, or the code of the refusal.',
      ['result'],
    ),
    acceptSeconds: histogram(
      'accept_seconds',
      'Time to accept a webhook delivery, without the time that its body took to arrive.',
      buckets.request,
    ),
    acceptBatchRows: histogram(
      'accept_batch_rows',
      'Requests that were committed together.',
      [1, 2, 5, 10, 20, 50, 100, 200],
    ),
    startLagSeconds: histogram(
      'start_lag_seconds',
      'Time from the acceptance of a run, or from the end of the run before it if that is later, to its start.',
      buckets.run,
    ),
    runsEnded: counter(
      'runs_ended_total',
      'Ended runs, by status and reason. The reason of a completed run is empty.',
      ['status', 'reason'],
    ),
    runSeconds: histogram('run_seconds', 'Time from the start of a run to its end, with its waits.', buckets.run),
    chatAnswersEnded: counter(
      'chat_answers_ended_total',
      'Ended chat answers, by status, and by the code of the failure, which is otherwise empty.',
      ['status', 'code'],
    ),
    repairs: counter('repairs_total', 'Repairs by the reconciler, by kind.', ['kind']),
    refreshes: counter(
      'refresh_total',
      'Attempts to refresh an access token, by outcome. `invalid_client` means that a site does not know the platform.',
      ['outcome'],
    ),
    toolCalls: counter(
      'tool_calls_total',
      'Ended tool calls, by effect and outcome. `unknown` means that the call may have taken effect.',
      ['effect', 'outcome'],
    ),
    toolSeconds: histogram('tool_seconds', 'Time of one request to a site for a tool call.', buckets.call),
    modelRequests: counter(
      'model_requests_total',
      'Model calls, by outcome: answered, failed, or given_up if nobody waited for the answer any longer.',
      ['provider', 'model', 'outcome'],
    ),
    modelSeconds: histogram('model_seconds', 'Time of one model call.', buckets.call, ['provider', 'model']),
    firstTokenSeconds: histogram(
      'first_token_seconds',
      'Time from a model call to the first words of its answer, if somebody may read them.',
      buckets.call,
      ['provider', 'model'],
    ),
    tokens: counter(
      'tokens_total',
      'Tokens that were recorded, by kind: input, output, and cached, which is a part of input.',
      ['kind'],
    ),
    credits: counter('credits_total', 'Credits that runs and chats were charged.'),
    fires: counter('fires_total', 'Scheduled times, by outcome: ran, skipped, missed.', ['outcome']),
    callbacksEnded: counter('callbacks_ended_total', 'Callbacks that were delivered or given up, by status.', [
      'status',
    ]),
    mailsFailed: counter('mails_failed_total', 'Emails that were given up.'),
  }
}

export type Counters = ReturnType<typeof createCounters>
