import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Choice } from '../../../design/Choice.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'
import { Field } from '../../../design/Field.tsx'
import { asLocalInput, fromLocalInput, periodInWords, periodOf, periods } from '../../../lists/periods.ts'
import { useNow } from '../../../parts/clock.ts'
import type { RunFilters } from '../../../lists/run-filters.ts'
import styles from './Filters.module.css'

type Period = Pick<RunFilters, 'since' | 'until'>

interface PeriodChoiceProps {
  label: string
  /** What is shown without a period. */
  anyText: string
  filters: RunFilters
  onChoose: (period: Period) => void
}

/** A period that ends now, or one between two times. The address keeps the times, so a link shows the same later. */
export const PeriodChoice = ({ label, anyText, filters, onChoose }: PeriodChoiceProps) => {
  const [isOpen, setOpen] = useState(false)
  const chosen = periodInWords(filters, useNow())
  const choose = (id: string) => {
    if (id === 'between') setOpen(true)
    else if (id === 'any') onChoose({ since: undefined, until: undefined })
    else if (id !== 'chosen') onChoose(periodOf(id as (typeof periods)[number]['id'], Date.now()))
  }
  return (
    <>
      <Choice
        label={label}
        value={chosen === undefined ? 'any' : 'chosen'}
        options={[
          { value: 'any', text: anyText },
          ...(chosen === undefined ? [] : [{ value: 'chosen', text: chosen }]),
          ...periods.filter(({ text }) => text !== anyText).map(({ id, text }) => ({ value: id, text })),
          { value: 'between', text: 'Between two times …' },
        ]}
        onChoose={choose}
      />
      <Dialog title="Runs between two times" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Times
          period={filters}
          onChoose={(period) => {
            setOpen(false)
            onChoose(period)
          }}
        />
      </Dialog>
    </>
  )
}

const Times = ({ period, onChoose }: { period: Period; onChoose: (period: Period) => void }) => {
  const [since, setSince] = useState(asLocalInput(period.since))
  const [until, setUntil] = useState(asLocalInput(period.until))
  const isReversed = since !== '' && until !== '' && since >= until
  return (
    <>
      <div className={styles.times}>
        <Field label="From" type="datetime-local" value={since} onChange={setSince} />
        <Field
          label="Until"
          type="datetime-local"
          value={until}
          onChange={setUntil}
          problem={isReversed ? 'The end must be after the beginning.' : undefined}
        />
      </div>
      <p>Leave a time empty for a period without a beginning or an end. The times are in your time zone.</p>
      <DialogButtons>
        <Button
          kind="primary"
          isDisabled={isReversed}
          onPress={() => onChoose({ since: fromLocalInput(since), until: fromLocalInput(until) })}
        >
          Show runs
        </Button>
      </DialogButtons>
    </>
  )
}
