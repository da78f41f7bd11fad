import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { mayAffect, type Target, type Way } from '../../../lists/change-runs.ts'
import { filterOfChange, pathOf, runsQuery, type RunFilters } from '../../../lists/run-filters.ts'
import type { RunList } from '../../../lists/run-list.ts'
import { all, isEmpty, none, type Selection } from '../../../lists/selection.ts'
import { perPage } from '../../../lists/use-run-list.ts'
import { countInWords, numberInWords } from '../../../parts/format.ts'
import { Curl } from '../../../parts/Curl.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { ChangeDialog } from './ChangeDialog.tsx'
import styles from './Bar.module.css'

interface BarProps {
  owner: Owner
  filters: RunFilters
  /** The filters in words. */
  words: string
  list: RunList
  selection: Selection
  onSelect: (selection: Selection) => void
  onBringIn: () => void
}

/** Above the rows, and always in view: how many there are, what arrived, and what can be done with the chosen ones. */
export const Bar = (props: BarProps) => (
  <div className={styles.bar}>
    {isEmpty(props.selection) ? <Count {...props} /> : <Chosen {...props} />}
    <Arrived list={props.list} onBringIn={props.onBringIn} />
  </div>
)

const Count = ({ owner, filters, list, onSelect }: BarProps) => {
  const path = pathOf('/runs', { ...runsQuery(filters, owner.query), limit: perPage })
  return (
    <>
      <span className={styles.count}>
        {countInWords(list.rows.length, 'run')}
        {list.next !== null && ' so far'}
      </span>
      {owner.may('use') && (
        <Button kind="quiet" small onPress={() => onSelect(all)}>
          Select all
        </Button>
      )}
      <Curl action={{ method: 'GET', path }} />
      <span className={styles.keys}>
        <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens
        {owner.may('use') && (
          <>
            , <kbd>x</kbd> selects
          </>
        )}
      </span>
    </>
  )
}

const Chosen = ({ owner, filters, words, list, selection, onSelect }: BarProps) => {
  const [change, setChange] = useState<{ way: Way; target: Target }>()
  const { isAll, ids } = selection
  const target = (): Target =>
    isAll ? { filter: filterOfChange(filters, owner.query, new Date().toISOString()) } : { runIds: [...ids] }
  const isIdle = (way: Way) => isAll && !mayAffect(way, filters.status)
  return (
    <>
      <span className={styles.count} role="status">
        {isAll ? (words === '' ? 'All runs' : 'All that match') : `${numberInWords(ids.size)} selected`}
      </span>
      <Button small isDisabled={isIdle('cancel')} onPress={() => setChange({ way: 'cancel', target: target() })}>
        Cancel runs
      </Button>
      <Button small isDisabled={isIdle('skip')} onPress={() => setChange({ way: 'skip', target: target() })}>
        Skip runs
      </Button>
      {!isAll && (
        <Button kind="quiet" small onPress={() => onSelect(all)}>
          Select all
        </Button>
      )}
      <Button kind="quiet" small onPress={() => onSelect(none)}>
        Clear selection
      </Button>
      {change && (
        <ChangeDialog
          {...change}
          words={words}
          runs={list.rows.filter(({ id }) => ids.has(id))}
          onClose={(isDone) => {
            setChange(undefined)
            if (isDone) onSelect(none)
          }}
        />
      )}
    </>
  )
}

/** The region is always there, so that screen readers read what appears in it. */
const Arrived = ({ list: { arrived, restart }, onBringIn }: Pick<BarProps, 'list' | 'onBringIn'>) => (
  <div role="status" className={styles.arrived}>
    {arrived.length > 0 && (
      <Button kind="primary" small onPress={onBringIn}>
        {restart === undefined ? countInWords(arrived.length, 'new run') : `More than ${arrived.length - 1} new runs`}
      </Button>
    )}
  </div>
)
