import { Check } from '../design/Check.tsx'
import styles from './HostTicks.module.css'

interface HostTicksProps {
  legend: string
  hosts: readonly string[]
  accepted: readonly string[]
  onAccept: (accepted: readonly string[]) => void
}

/** Hosts that would get calls or logins. Each is trusted by a tick of its own. */
export const HostTicks = ({ legend, hosts, accepted, onAccept }: HostTicksProps) => {
  if (hosts.length === 0) return null
  return (
    <fieldset className={styles.hosts}>
      <legend>{legend}</legend>
      {hosts.map((host) => (
        <Check
          key={host}
          isSelected={accepted.includes(host)}
          onChange={(isTicked) => onAccept(isTicked ? [...accepted, host] : accepted.filter((one) => one !== host))}
        >
          <code className="stranger">{host}</code>
        </Check>
      ))}
    </fieldset>
  )
}
