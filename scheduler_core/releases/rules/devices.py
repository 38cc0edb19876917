"""Rules of DynamicResources' allocators that differ between releases (k8s.io/dynamic-resource-allocation)."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class DeviceRules:
    """Rules of the allocators. 1.34 uses the allocator "experimental", later releases "incubating"."""

    pools_are_complete_across_nodes: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/pools_incubating.go: GatherPools",
        {
            True: Text(
                "a pool is complete if its slices for all nodes exist; an incomplete pool provides no devices",
                "池的完整与否按它在所有节点上的 ResourceSlice 计算，不完整的池不提供设备",
            ),
            False: Text(
                "a pool is complete if its slices for this node exist; an incomplete pool still provides devices",
                "池的完整与否只按它在该节点上的 ResourceSlice 计算，不完整的池也提供设备",
            ),
        },
    )
    invalid_pools_are_skipped: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateOne",
        {
            True: Text("a pool that has a device twice is skipped", "同名设备出现两次的池被跳过"),
            False: Text(
                "a pool that has a device twice ends the attempt with an error when the search reaches it",
                "搜索遇到同名设备出现两次的池时，这次尝试以错误结束",
            ),
        },
    )
    results_have_class_configs_once: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: Allocate",
        {
            True: Text(
                "an allocation contains the configuration of a class once", "分配结果中，一个设备类的配置只出现一次"
            ),
            False: Text(
                "an allocation contains the configuration of a class once for each request of the class",
                "分配结果中，使用某设备类的每个请求都带有该类的配置",
            ),
        },
    )
    all_subrequests_keep_their_place: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateOne",
        {
            True: Text("a subrequest for all devices takes each of them", "要求全部设备的子请求取得其中的每一个"),
            False: Text(
                (
                    "a subrequest for all devices that is not the first takes one device and continues with the first "
                    "subrequest"
                ),
                "不是第一个的“全部设备”子请求只取一个设备，然后转到第一个子请求",
            ),
        },
    )
    devices_are_tried_in_one_order: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateOne",
        {
            True: Text("the devices of a request are tried in one order", "一个请求的设备只按一种顺序尝试"),
            False: Text(
                "the devices of a request are tried in every order, which takes much longer",
                "一个请求的设备按所有顺序尝试，耗时长得多",
            ),
        },
    )
    device_search_that_times_out_is_an_error: bool = rule(
        "DynamicResources",
        "plugins/dynamicresources/dynamicresources.go: Filter",
        {
            True: Text(
                "a search for devices that takes too long ends the attempt with an error",
                "搜索设备耗时过长时，这次尝试以错误结束",
            ),
            False: Text(
                "a search for devices that takes too long rejects the node", "搜索设备耗时过长时，该节点被拒绝"
            ),
        },
    )
    slices_of_the_node_come_first: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: Allocate",
        {
            True: Text(
                "if slices of a pool state different slice counts, the first slice for the node alone decides",
                "同一个池的 ResourceSlice 所写的数量不一致时，以只属于该节点的第一个为准",
            ),
            False: Text(
                "if slices of a pool state different slice counts, the first slice decides",
                "同一个池的 ResourceSlice 所写的数量不一致时，以第一个为准",
            ),
        },
    )
    results_have_claim_configs_once: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: Allocate",
        {
            False: Text(
                "an allocation contains a configuration of the claim once for each request that it names",
                "分配结果中，申领的一项配置按它所提到的请求各出现一次",
            ),
            True: Text(
                "an allocation contains a configuration of the claim once", "分配结果中，申领的一项配置只出现一次"
            ),
        },
    )
    distinct_attributes_differ_between_all_devices: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/constraint.go: distinctAttributeConstraint",
        {
            False: Text(
                "distinctAttribute compares a device with the last device of each request",
                "distinctAttribute 把设备与每个请求最后取得的设备比较",
            ),
            True: Text(
                "distinctAttribute compares a device with all devices of the claim",
                "distinctAttribute 把设备与申领已取得的所有设备比较",
            ),
        },
    )
    rejected_devices_are_rolled_back: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateDevice",
        {
            False: Text(
                "a device that is rejected after its shared counters were checked keeps them during the search",
                "设备在共享计数器检查之后被拒绝时，搜索期间仍占着这些计数器",
            ),
            True: Text(
                "a device that is rejected gives its shared counters back", "被拒绝的设备归还它占用的共享计数器"
            ),
        },
    )
    counters_belong_to_a_driver: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: checkAvailableCounters",
        {
            False: Text(
                "pools of two drivers with the same name share their counters",
                "两个驱动的同名池共用计数器",
            ),
            True: Text(
                "pools of two drivers with the same name have counters of their own",
                "两个驱动的同名池各有自己的计数器",
            ),
        },
    )
    all_devices_must_have_room: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: validateDeviceRequest",
        {
            False: Text(
                "a request for all devices leaves out shared devices without enough remaining capacity",
                "要求全部设备的请求，略过剩余容量不足的共享设备",
            ),
            True: Text(
                "a request for all devices fails if a shared device has not enough remaining capacity",
                "要求全部设备的请求，只要有一个共享设备剩余容量不足就失败",
            ),
        },
    )
    counter_slices_are_for_their_nodes: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/pools_incubating.go: GatherPools",
        {
            False: Text(
                "a ResourceSlice with shared counters belongs to the pools of every node",
                "带共享计数器的 ResourceSlice 属于每个节点的池",
            ),
            True: Text(
                "a ResourceSlice with shared counters belongs to the pools of the nodes that it names",
                "带共享计数器的 ResourceSlice 只属于它所指节点的池",
            ),
        },
    )
    selector_errors_name_the_device: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: selectorsMatch",
        {
            False: Text(
                "the error of a device selector names the class or the claim",
                "设备选择器的错误写出设备类或申领",
            ),
            True: Text(
                "the error of a device selector also names the device, and advises on missing attributes",
                "设备选择器的错误还写出设备，并对缺失的属性给出建议",
            ),
        },
    )
