import test from 'ava'
import { dataOf, openScripts } from '../../helpers/runs.ts'

const same = '[[call echo_text {"text":"again"}]]'

test.serial(
  'the third identical call in a row is answered with a warning and not sent, and the fifth ends the run',
  async (t) => {
    const { follow } = await openScripts(t)
    const { run, sent, outcomes } = await follow([same, same, same, same, same].join(' [[then]] '))
    t.like(run, { status: 'failed', reason: 'REPEATED_TOOL_CALL', steps: 5, toolCalls: 5 })
    t.is(sent.length, 2)
    t.deepEqual(
      outcomes.map(({ status }) => status),
      ['succeeded', 'succeeded', 'failed', 'failed', 'failed'],
    )
    for (const [index, outcome] of outcomes.slice(2).entries()) {
      t.is(outcome['attempts'], 0)
      t.regex(String(outcome['result']), new RegExp(`^This is the same call ${index + 3} times in a row`))
    }
  },
)

test.serial('a model that does something else after the warning goes on', async (t) => {
  const { follow } = await openScripts(t)
  const { run, sent, outcomes } = await follow(
    [same, same, same, '[[call echo_text {"text":"other"}]]', same, '[[say done]]'].join(' [[then]] '),
  )
  t.is(run.status, 'completed')
  t.is(sent.length, 4)
  t.is(outcomes.filter(({ status }) => status === 'failed').length, 1)
})

test.serial(
  'a tool that is not offered and arguments that do not fit are answered to the model, and nothing is sent',
  async (t) => {
    const { follow, sites } = await openScripts(t)
    const cases = [
      ['[[call no_such_tool {}]]', /There is no tool named "no_such_tool"/],
      ['[[call echo_text {"text":5}]]', /do not fit the tool's input schema: .*text/],
      ['[[call echo_text {}]]', /do not fit the tool's input schema/],
      ['[[call echo_text {"text":["a"]}]]', /do not fit the tool's input schema/],
    ] as const
    for (const [script, sentence] of cases) {
      const { run, timeline, outcomes } = await follow(`${script} [[then]] [[call echo_text {"text":"right"}]]`)
      t.is(run.status, 'completed', script)
      t.like(outcomes[0], { status: 'failed', attempts: 0, note: 'Nothing was sent to the site.' }, script)
      t.regex(String(outcomes[0]?.['result']), sentence)
      const words = dataOf(timeline, 'step.finished').map(({ text }) => String(text))
      t.regex(words.at(-1) ?? '', /which failed: /, 'the model was told')
      t.like(outcomes[1], { status: 'succeeded' }, 'and could go on')
    }
    t.is(sites.badTools.requests().length, cases.length)
  },
)
