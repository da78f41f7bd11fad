import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import type { Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Check } from '../../../design/Check.tsx'
import { Choice } from '../../../design/Choice.tsx'
import { Field } from '../../../design/Field.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { offerQuery } from '../connect/inspect.ts'
import styles from './ToolChoice.module.css'

/** Tools of one site that can be chosen, as the API says. */
const mostChosen = 20

interface ToolChoiceProps {
  url: string
  chosen: readonly string[]
  onChoose: (chosen: readonly string[]) => void
}

/** The tools that a site offers, by search and tag, of which at most twenty are chosen. */
export const ToolChoice = ({ url, chosen, onChoose }: ToolChoiceProps) => {
  const [wanted, want] = useState({ search: '', tag: '' })
  const { data: offered, error, refetch } = useQuery(offerQuery(url, wanted))
  if (!offered) return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />
  return (
    <div className={styles.choice}>
      <Wanted tags={offered.tags} wanted={wanted} onWant={want} />
      <Chosen chosen={chosen} onChoose={onChoose} />
      <Offered offered={offered} chosen={chosen} onChoose={onChoose} />
      {error && <ErrorBox error={error} onRetry={() => void refetch()} />}
    </div>
  )
}

interface WantedProps {
  tags: Api['OfferedTag'][]
  wanted: { search: string; tag: string }
  onWant: (wanted: { search: string; tag: string }) => void
}

/** Each search asks the site, so it begins when the words are complete. */
const Wanted = ({ tags, wanted, onWant }: WantedProps) => {
  const [typed, setTyped] = useState(wanted.search)
  const all = { value: '', text: 'All tags' }
  return (
    <Form
      className={styles.wanted as string}
      onSubmit={(event) => {
        event.preventDefault()
        onWant({ ...wanted, search: typed.trim() })
      }}
    >
      <Field label="Search the tools" type="search" maxLength={200} value={typed} onChange={setTyped} />
      {tags.length > 0 && (
        <Choice
          label="Tag"
          isField
          value={wanted.tag}
          options={[all, ...tags.map(({ name, count }) => ({ value: name, text: `${shownText(name)} (${count})` }))]}
          onChoose={(tag) => onWant({ search: typed.trim(), tag })}
        />
      )}
      <Button type="submit">Search</Button>
    </Form>
  )
}

/** Also those that the search does not find. */
const Chosen = ({ chosen, onChoose }: Pick<ToolChoiceProps, 'chosen' | 'onChoose'>) => (
  <div>
    <p className={styles.quiet} role="status">
      {chosen.length} of at most {mostChosen} chosen
    </p>
    <ul className={styles.chosen} aria-label="Chosen tools">
      {chosen.map((name) => (
        <li key={name}>
          <code className="stranger">{shownText(name)}</code>
          <Button kind="quiet" onPress={() => onChoose(chosen.filter((one) => one !== name))}>
            Remove<span className={styles.spoken}> {shownText(name)}</span>
          </Button>
        </li>
      ))}
    </ul>
  </div>
)

interface OfferedProps extends Pick<ToolChoiceProps, 'chosen' | 'onChoose'> {
  offered: Api['OfferedTools']
}

const Offered = ({ offered: { tools, total }, chosen, onChoose }: OfferedProps) => (
  <fieldset className={styles.offered}>
    <legend>
      {countInWords(total, 'tool')}
      {total > tools.length && <span className={styles.quiet}> the first {tools.length} are shown</span>}
    </legend>
    {tools.map(({ name, description, request }) => (
      <Check
        key={name}
        isSelected={chosen.includes(name)}
        isDisabled={!chosen.includes(name) && chosen.length >= mostChosen}
        onChange={(isTicked) => onChoose(isTicked ? [...chosen, name] : chosen.filter((one) => one !== name))}
      >
        <code className="stranger">{shownText(name)}</code>{' '}
        <span className={`stranger ${styles.quiet}`}>{shownText(request)}</span>
        <span className={`stranger ${styles.description}`}>{shownText(description)}</span>
      </Check>
    ))}
  </fieldset>
)
