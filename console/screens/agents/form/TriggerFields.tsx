import { Check } from '../../../design/Check.tsx'
import { Choice } from '../../../design/Choice.tsx'
import { Field } from '../../../design/Field.tsx'
import { triggerInWords } from '../agent-words.ts'
import { proofs } from '../proofs.ts'
import type { PartProps } from './draft.ts'
import styles from './Form.module.css'
import { SchemaField, type Table } from './SchemaField.tsx'
import { webhookRowsOf, withWebhookRow } from './webhook-rows.ts'

const triggers = (['manual', 'scheduled', 'webhook'] as const).map((value) => ({ value, text: triggerInWords(value) }))
const senders = proofs.map(({ proof, sender }) => ({ value: proof, text: sender }))
const webhookTable: Table = {
  types: ['string', 'number', 'boolean', 'object', 'array'],
  rows: webhookRowsOf,
  withRow: withWebhookRow,
}

/** What starts the agent, and what belongs to that. */
export const TriggerFields = (part: PartProps) => {
  const { draft, change, problem } = part
  const refused = problem('trigger')
  return (
    <section className={styles.part} aria-labelledby="form-trigger">
      <h2 id="form-trigger">Trigger</h2>
      <Choice
        isField
        label="Trigger"
        value={draft.trigger}
        options={triggers}
        onChoose={(trigger) => change({ trigger })}
      />
      {refused !== undefined && <p className={`${styles.problem} stranger`}>{refused}</p>}
      {draft.trigger === 'scheduled' && <ScheduleFields {...part} />}
      {draft.trigger === 'webhook' && <WebhookFields {...part} />}
    </section>
  )
}

const ScheduleFields = ({ draft, change, problem }: PartProps) => (
  <div className={styles.pair}>
    <Field
      label="Cron expression"
      hint="Minute, hour, day of the month, month, day of the week. “0 9 * * 1-5” is 09:00 from Monday to Friday."
      value={draft.cron}
      onChange={(cron) => change({ cron })}
      problem={problem('cron')}
    />
    <Field
      label="Time zone"
      hint="An IANA name, such as Europe/Berlin."
      value={draft.timeZone}
      onChange={(timeZone) => change({ timeZone })}
      problem={problem('timeZone')}
    />
  </div>
)

const WebhookFields = ({ draft, change, problem }: PartProps) => {
  const refused = problem('webhookProof')
  return (
    <>
      <Choice
        isField
        label="Sender"
        value={draft.webhookProof}
        options={senders}
        onChoose={(webhookProof) => change({ webhookProof })}
      />
      {refused !== undefined && <p className={`${styles.problem} stranger`}>{refused}</p>}
      <SchemaField
        label="Fields of a delivery"
        hint="A list of members as JSON. A delivery that lacks one is refused. Leave it empty to accept any payload."
        text={draft.webhookSchema}
        table={webhookTable}
        problem={problem('webhookSchema')}
        onChange={(webhookSchema) => change({ webhookSchema })}
      />
      <Check isSelected={draft.allowActionOverride} onChange={(allowActionOverride) => change({ allowActionOverride })}>
        The member <code>action</code> of a payload replaces the prompt
      </Check>
      <Check isSelected={draft.watchSilence} onChange={(watchSilence) => change({ watchSilence })}>
        Notify me when the usual deliveries do not come
      </Check>
    </>
  )
}
