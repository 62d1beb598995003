import { useId, type ReactNode } from 'react';

/** A label, its control and what is wrong with it, tied together for every reader. */
export function Field({
  label,
  problem,
  hint,
  children,
}: {
  label: string;
  problem?: string | undefined;
  hint?: string | undefined;
  children: (id: string, described: { 'aria-invalid': boolean; 'aria-describedby': string | undefined }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="field-box">
      <label htmlFor={id}>{label}</label>
      {children(id, { 'aria-invalid': problem !== undefined, 'aria-describedby': problem || hint ? `${id}-why` : undefined })}
      {(problem ?? hint) !== undefined && (
        <span id={`${id}-why`} className={problem ? 'field-problem' : 'sec'}>
          {problem ?? hint}
        </span>
      )}
    </div>
  );
}

export function TextField(props: {
  label: string;
  value: string;
  problem?: string | undefined;
  hint?: string | undefined;
  list?: string | undefined;
  mono?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} problem={props.problem} hint={props.hint}>
      {(id, described) => (
        <input
          id={id}
          {...described}
          className={`input ${props.mono ? 'mono' : ''}`}
          value={props.value}
          list={props.list}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A number as it is typed: what is no number goes on as the text it is, so that the check can say so. */
export function NumberField(props: {
  label: string;
  value: number | null | undefined;
  problem?: string | undefined;
  hint?: string | undefined;
  onChange: (value: number | null) => void;
}) {
  return (
    <Field label={props.label} problem={props.problem} hint={props.hint}>
      {(id, described) => (
        <input
          id={id}
          {...described}
          className="input"
          type="number"
          step="any"
          value={props.value ?? ''}
          onChange={(event) => props.onChange(event.target.value === '' ? null : Number(event.target.value))}
        />
      )}
    </Field>
  );
}

export function ChoiceField<V extends string>(props: {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  problem?: string | undefined;
  onChange: (value: V) => void;
}) {
  return (
    <Field label={props.label} problem={props.problem}>
      {(id, described) => (
        <select id={id} {...described} className="input" value={props.value} onChange={(event) => props.onChange(event.target.value as V)}>
          {props.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
