// @promise money-by-default
import test, { type ExecutionContext } from 'ava'
import { ConfigError } from '../../../src/config/environment.ts'
import { testConfig } from '../../helpers/config.ts'

const read = (env: Record<string, string> = {}) => testConfig('postgres://unused', env)
const problemsOf = (t: ExecutionContext, env: Record<string, string>): string[] =>
  t.throws(() => read(env), { instanceOf: ConfigError }).problems

const stripe = { STRIPE_SECRET_KEY: 'sk_test_abcdefgh', STRIPE_WEBHOOK_SECRET: 'whsec_abcdefgh' }
const paid = { OPENAI_MODEL: 'gpt', OPENAI_API_KEY: 'sk-of-the-operator', REGISTRATION: 'invited' }
const at = (OPENAI_BASE_URL: string) => ({ OPENAI_MODEL: 'llama', OPENAI_BASE_URL, REGISTRATION: 'invited' })

test('without a word there is Stripe with a key, the sandbox where no model costs money, and otherwise nothing', (t) => {
  const modeOf = (env: Record<string, string>) => read(env).billing.mode
  t.is(modeOf({}), 'sandbox')
  t.is(modeOf(at('http://127.0.0.1:11434/v1')), 'sandbox')
  t.is(modeOf(paid), 'off')
  t.is(modeOf(stripe), 'stripe')
  t.is(modeOf({ ...paid, ...stripe }), 'stripe')
  t.is(modeOf({ BILLING: 'off' }), 'off')
})

test('a model costs money unless it is the demo model or its address is on this machine', (t) => {
  const costs = (env: Record<string, string>) => read(env).billing.modelsCostMoney
  t.false(costs({}))
  for (const host of ['127.9.8.7:1', '127.1', 'LOCALHOST', '[0:0:0:0:0:0:0:1]'])
    t.false(costs(at(`http://${host}/v1`)), host)
  t.true(costs(paid))
  for (const host of ['128.0.0.1', '0.0.0.0', 'localhost.example.com', '127.0.0.1.example.com', '[::2]'])
    t.true(costs(at(`http://${host}/v1`)), host)
})

test('what contradicts itself does not start, and says what to do', (t) => {
  t.deepEqual(problemsOf(t, { BILLING: 'stripe' }), ['BILLING=stripe requires STRIPE_SECRET_KEY'])
  for (const BILLING of ['off', 'sandbox'])
    t.deepEqual(problemsOf(t, { BILLING, ...stripe }), [
      `BILLING is ${BILLING}, but STRIPE_SECRET_KEY is set. Remove the key, or set BILLING=stripe`,
    ])
  t.regex(problemsOf(t, { BILLING: 'on' })[0] ?? '', /^BILLING must be one of off, sandbox, stripe$/)
})

test('the sandbox stands beside a model that costs money only if a second setting says so', (t) => {
  const problems = problemsOf(t, { BILLING: 'sandbox', ...paid })
  t.is(problems.length, 1)
  t.regex(problems[0] ?? '', /you pay for the model.* BILLING_SANDBOX_WITH_PAID_MODELS=true$/)
  const { billing } = read({ BILLING: 'sandbox', BILLING_SANDBOX_WITH_PAID_MODELS: 'true', ...paid })
  t.like(billing, { mode: 'sandbox', modelsCostMoney: true })
})

test('open registration beside a model that costs money needs a limit of tokens, without payments', (t) => {
  const open = { ...paid, REGISTRATION: 'open' }
  t.regex(problemsOf(t, open).join(), /^LIMIT_TOKENS_PER_MONTH is required .* REGISTRATION=invited or closed$/)
  t.is(read({ ...open, LIMIT_TOKENS_PER_MONTH: '50000' }).billing.limits.tokensPerMonth, 50_000)
  t.is(read(paid).billing.limits.tokensPerMonth, 10_000_000)
  t.is(read({ BILLING: 'off' }).billing.limits.tokensPerMonth, 10_000_000, 'nobody pays for the demo model')
  t.notThrows(() => read({ ...open, ...stripe }))
})
