import { Controller } from '@nestjs/common';
import { builtInModels, channelTypes, ownerOf, routes } from '@tollgate/contracts';
import type { BuiltInModel, ModelsByType } from '@tollgate/contracts/api/channel';
import { type Caller, CurrentCaller, OptionStore, Route } from '@tollgate/chassis';
import { AbilityService } from './ability.service.js';

/** The catalogue has no dates; this constant is what clients of the reference get. */
const CREATED = 1_626_777_600;

const catalogue: readonly BuiltInModel[] = builtInModels.map((id) => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: ownerOf(id),
}));
const byType: ModelsByType = Object.fromEntries(
  Object.entries(channelTypes).map(([type, { models }]) => [type, [...models]]),
);

@Controller()
export class ModelsController {
  constructor(
    private readonly abilities: AbilityService,
    private readonly options: OptionStore,
  ) {}

  @Route(routes.listChannelModels)
  listCatalogue(): readonly BuiltInModel[] {
    return catalogue;
  }

  @Route(routes.listModelsByType)
  listByType(): ModelsByType {
    return byType;
  }

  @Route(routes.listEnabledModels)
  listEnabled(): Promise<string[]> {
    return this.abilities.listEnabledModels();
  }

  /** The models of all groups that the caller may choose. */
  @Route(routes.listUserModels)
  listOwn(@CurrentCaller() { group }: Caller): Promise<string[]> {
    return this.abilities.listModelsOf([...new Set([...Object.keys(this.options.get('UserUsableGroups')), group])]);
  }
}
