import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { Check } from '../../../design/Check.tsx'
import { Choice } from '../../../design/Choice.tsx'
import { Field } from '../../../design/Field.tsx'
import type { PartProps } from './draft.ts'
import styles from './Form.module.css'
import { choiceOf, modelChoices, modelOf } from './model-choices.ts'

/** The model and what a month may cost. */
export const ModelFields = ({ draft, change, problem }: PartProps) => {
  const { data } = useQuery(api.queryOptions('get', '/models', {}, { staleTime: 60_000 }))
  const models = data?.items ?? []
  const refused = problem('model') ?? problem('fallbackModel')
  return (
    <section className={styles.part} aria-labelledby="form-model">
      <h2 id="form-model">Model and credits</h2>
      <div className={styles.pair}>
        <Choice
          isField
          label="Model"
          value={choiceOf(draft.model)}
          options={modelChoices(models, draft.model, 'The default model')}
          onChoose={(choice) => change({ model: modelOf(choice) })}
        />
        <Choice
          isField
          label="Fallback model"
          value={choiceOf(draft.fallbackModel)}
          options={modelChoices(models, draft.fallbackModel, 'None')}
          onChoose={(choice) => change({ fallbackModel: modelOf(choice) })}
        />
      </div>
      {refused !== undefined && <p className={`${styles.problem} stranger`}>{refused}</p>}
      <Check isSelected={draft.summarizes} onChange={(summarizes) => change({ summarizes })}>
        Summarize the first steps of a run that outgrows its context window, as a billed step
      </Check>
      <Field
        label="Credits per month"
        hint="No further steps start at this limit. Leave it empty for no limit."
        inputMode="numeric"
        value={draft.creditsPerMonth}
        onChange={(creditsPerMonth) => change({ creditsPerMonth })}
        problem={problem('creditsPerMonth')}
      />
    </section>
  )
}
