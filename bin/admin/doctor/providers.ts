import { failing, fine, worst, type Check, type Finding } from '../../../src/health/finding.ts'
import { probe } from '../../../src/outages/probe.ts'
import type { Outside } from './context.ts'

const longestMs = 20_000

/** Asks one model of each provider for one word. */
export const providers: Check<Outside> = {
  name: 'providers',
  longestMs: longestMs + 2000,
  async look({ config, models }) {
    const asked = config.models.providers.flatMap(({ name }) => {
      const model = config.models.models.find(({ provider }) => provider === name)
      return model === undefined ? [] : [{ provider: name, model: model.name }]
    })
    const findings = await Promise.all(asked.map((one) => tryOne(models, one)))
    return worst(findings, fine(findings.map(({ message }) => message).join(' ')))
  },
}

async function tryOne(
  models: Outside['models'],
  { provider, model }: { provider: string; model: string },
): Promise<Finding> {
  const limit = AbortSignal.timeout(longestMs)
  const failed = await probe(models, model, limit).catch((error: unknown) => {
    if (!limit.aborted) throw error
    return { message: `It did not answer within ${longestMs / 1000} seconds.`, providerSaid: null }
  })
  if (failed === undefined) return fine(`${provider} answers.`)
  const said = failed.providerSaid === null ? '' : ` It said: ${failed.providerSaid}`
  return failing(
    `The provider ${provider} does not answer: ${failed.message}${said}`,
    'Check its key, its address and its bill. See docs/operate/models.md.',
  )
}
