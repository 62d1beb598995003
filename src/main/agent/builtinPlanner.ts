import type { PlanInput, Planner, PlannerEvent } from '../../shared/contracts/agent.ts';
import type { Conversation, Interpret, Interpretation } from '../../shared/planner/types.ts';

/** What the pure planner is asked for at each step: from what was meant and what has come back, the next thing to do. */
export type NextStep = (interpretation: Interpretation, input: PlanInput) => PlannerEvent;

/**
 * The built-in planner behind the planner port: no model, no clock, no network. It asks the pure rules what the words mean,
 * remembers the last meaning of each session for follow-ups, and hands on the next step they name.
 */
export function createBuiltinPlanner(rules: { interpret: Interpret; nextStep: NextStep }): Planner {
  const conversations = new Map<string, Conversation>();
  const current = new Map<string, { turnId: string; meant: Interpretation }>();

  function meaning(input: PlanInput): Interpretation {
    const known = current.get(input.sessionId);
    if (known?.turnId === input.turnId) return known.meant;
    const meant = rules.interpret(
      input.text,
      input.world,
      { ...(conversations.get(input.sessionId) ?? { last: null }), files: input.files ?? [] },
      input.lang,
    );
    current.set(input.sessionId, { turnId: input.turnId, meant });
    if (!['unknown', 'refuse', 'help', 'explain_error'].includes(meant.intent)) conversations.set(input.sessionId, { last: meant });
    return meant;
  }

  return {
    name: 'builtin',
    kind: 'rules',
    async *plan(input, signal) {
      signal.throwIfAborted();
      const step = rules.nextStep(meaning(input), input);
      if (step.type === 'answer') yield { type: 'text', delta: step.text };
      yield step;
    },
    async close() {
      conversations.clear();
      current.clear();
    },
  };
}
