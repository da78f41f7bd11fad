import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { isOpen, Outage } from '../../outages/outage.ts'
import { failing, fine, warning, worst, type Check } from '../finding.ts'

/** Whether the configured models answered when they were last asked, as the record says. */
export const models: Check<{ database: Database; config: Pick<Config, 'models'> }> = {
  name: 'models',
  needs: ['schema'],
  async look({ database, config }) {
    const configured = config.models.models.map(({ name }) => name)
    const out = await Outage.query(database).where(isOpen).whereIn('model', configured).orderBy('model')
    const findings = out.map(({ model, provider, message, providerSaid }) =>
      (out.length === configured.length ? failing : warning)(
        `The model ${model} of ${provider ?? 'its provider'} answers nobody: ${message}${providerSaid === null ? '' : ` It said: ${providerSaid}`}`,
        'Check the key and the bill at the provider, and restart the workers. See docs/operate/models.md.',
      ),
    )
    return worst(findings, fine(`No model is known to be out (${configured.join(', ')}).`))
  },
}
