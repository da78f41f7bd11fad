import type { Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Choice } from '../../../design/Choice.tsx'
import { Switch } from '../../../design/Switch.tsx'
import { isFiltered, statuses, triggers, type RunFilters } from '../../../lists/run-filters.ts'
import { originInWords } from '../../../parts/run-words.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { PeriodChoice } from './PeriodChoice.tsx'
import styles from './Filters.module.css'

interface FiltersProps {
  filters: RunFilters
  agents: ReadonlyMap<string, Api['AgentSummary']>
  onChange: (filters: RunFilters) => void
}

const any = { value: 'any', text: 'Any' } as const

/** What the list shows. Failures in groups have one status, and any trigger. */
export const Filters = ({ filters, agents, onChange }: FiltersProps) => {
  const set = (change: RunFilters) => onChange({ ...filters, ...change })
  const isGrouped = filters.grouped === true
  return (
    <div className={styles.filters} role="group" aria-label="Filters">
      {!isGrouped && (
        <>
          <Choice
            label="Status"
            value={filters.status ?? 'any'}
            options={[any, ...statuses.map((value) => ({ value, text: value }))]}
            onChoose={(status) => set({ status: status === 'any' ? undefined : status })}
          />
          <Choice
            label="Started by"
            value={filters.trigger ?? 'any'}
            options={[any, ...triggers.map((value) => ({ value, text: originInWords(value) }))]}
            onChoose={(trigger) => set({ trigger: trigger === 'any' ? undefined : trigger })}
          />
        </>
      )}
      <AgentChoice agents={agents} agentId={filters.agentId} onChoose={(agentId) => set({ agentId })} />
      <PeriodChoice
        label={isGrouped ? 'Failed' : 'Accepted'}
        anyText={isGrouped ? 'Last 7 days' : 'Any time'}
        filters={filters}
        onChoose={set}
      />
      <Switch isOn={isGrouped} onChange={(isOn) => set({ grouped: isOn ? true : undefined })}>
        Group failures
      </Switch>
      {isFiltered(filters) && (
        <Button kind="quiet" small onPress={() => onChange({ grouped: filters.grouped })}>
          Clear
        </Button>
      )}
    </div>
  )
}

interface AgentChoiceProps {
  agents: FiltersProps['agents']
  agentId: string | undefined
  onChoose: (agentId: string | undefined) => void
}

const AgentChoice = ({ agents, agentId, onChoose }: AgentChoiceProps) => {
  const isUnknown = agentId !== undefined && !agents.has(agentId)
  const unknown = isUnknown ? [{ value: agentId, text: 'Another agent' }] : []
  const options = [...agents].map(([value, { name }]) => ({ value, text: shownText(name) }))
  return (
    <Choice
      label="Agent"
      value={agentId ?? 'any'}
      options={[any, ...unknown, ...options]}
      onChoose={(id) => onChoose(id === 'any' ? undefined : id)}
    />
  )
}
